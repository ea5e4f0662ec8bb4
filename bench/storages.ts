import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { MongoClient } from "mongodb";
import mongodbStorage from "../src/adapters/mongodb/storage.js";
import sqliteStorage from "../src/adapters/sqlite/storage.js";
import type { Storage, StorageContext } from "../src/application/ports/storage.js";
import { newPet as plainPet } from "./operations.js";
import { cell, table } from "./report.js";
import { median, ratios } from "./statistics.js";

// Each storage beside its driver, without HTTP: the driver does the same to the same tables, and nothing else.

const PETS = 10_000;
const ROUNDS = 5;
const MILLISECONDS = 400;

/** By name an operation of the storage, and the same one of its driver. */
type Pairs = Readonly<Record<string, readonly [ours: () => unknown, driver: () => unknown]>>;

interface Measured {
  readonly rate: number;
  /** Processor time of this process per operation, in microseconds. */
  readonly cpu: number;
}

const newPet = (n: number) => ({ ...plainPet(n), categoryId: BigInt(n) });
const anyId = () => BigInt(1 + Math.floor(Math.random() * (PETS - 100)));

const pageAfter = (after: bigint) => ({ status: undefined, after, limit: 21 });

const CONTEXT: StorageContext = {
  log: { debug() {}, info() {}, warn: console.warn, error: console.error },
  addReading() {},
  mayMake: true,
};

async function measure(operation: () => unknown, inFlight: number): Promise<Measured> {
  const begun = performance.now();
  const used = process.cpuUsage();
  let done = 0;
  const worker = async () => {
    while (performance.now() - begun < MILLISECONDS) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(used);
  return { rate: (1000 * done) / (performance.now() - begun), cpu: (user + system) / done };
}

async function besideDriver(pairs: Pairs): Promise<string> {
  const rows: string[][] = [];
  for (const [name, [ours, driver]] of Object.entries(pairs)) {
    for (const inFlight of [64, 1]) {
      const turns: [Measured, Measured][] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const turn: [Measured, Measured] = [await measure(ours, inFlight), await measure(driver, inFlight)];
        // The first round warms up.
        if (round > 0) turns.push(turn);
      }
      const all = (side: 0 | 1, of: keyof Measured) => turns.map((turn) => turn[side][of]);
      rows.push([
        name,
        String(inFlight),
        median(all(0, "rate")).toFixed(0),
        median(all(1, "rate")).toFixed(0),
        cell(ratios(all(0, "rate"), all(1, "rate"))),
        cell(ratios(all(0, "cpu"), all(1, "cpu"))),
      ]);
    }
  }
  const header = ["operation", "in flight", "storage/s", "driver/s", "rate, ratio", "processor time, ratio"];
  return table(header, rows);
}

async function sqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  const file = join(folder, "petstore.db");
  const storage = await sqliteStorage.open(`sqlite:${file}`, CONTEXT);
  await fill(storage);
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000");
  const read = (text: string) => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  };
  const columns = "id, name, category_id, status";
  const list = read(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT 21`);
  const get = read(`SELECT ${columns} FROM pets WHERE id = ?`);
  const insert = read("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  try {
    return await besideDriver({
      "list, first page": [() => storage.pets.list(pageAfter(0n)), () => list.all(0n)],
      "list, walk": [() => storage.pets.list(pageAfter(anyId())), () => list.all(anyId())],
      get: [() => storage.pets.get(anyId()), () => get.get(anyId())],
      create: [() => storage.pets.create(newPet(7)), () => insert.run("Pet 7", 7n, "available")],
    });
  } finally {
    database.close();
    await storage.close();
    rmSync(folder, { recursive: true });
  }
}

/** Uses, and drops, a database of its own on this server. */
async function mongodb(server: string): Promise<string> {
  const url = new URL(server);
  url.pathname = "/petstore_test_bench";
  const client = new MongoClient(url.href, { useBigInt64: true });
  const database = client.db();
  await database.dropDatabase();
  const storage = await mongodbStorage.open(url.href, CONTEXT);
  try {
    await fill(storage);
    const options = {
      writeConcern: { w: "majority", journal: true },
      readConcern: { level: "majority" },
    } as const;
    const pets = database.collection<{ _id: bigint }>("pets", options);
    const findAfter = (id: bigint) =>
      pets.find({ _id: { $gt: id } }, { sort: { _id: 1 }, limit: 21 }).toArray();
    let id = 2n ** 40n;
    return await besideDriver({
      "list, first page": [() => storage.pets.list(pageAfter(0n)), () => findAfter(0n)],
      "list, walk": [() => storage.pets.list(pageAfter(anyId())), () => findAfter(anyId())],
      get: [() => storage.pets.get(anyId()), () => pets.findOne({ _id: anyId() })],
      create: [() => storage.pets.create(newPet(7)), () => pets.insertOne({ _id: id++, ...newPet(7) })],
      // The price of a key: beside the driver, which makes one insert.
      "create, with a key": [
        () => storage.pets.create(newPet(7), { key: randomUUID(), fingerprint: "fingerprint" }),
        () => pets.insertOne({ _id: id++, ...newPet(7) }),
      ],
    });
  } finally {
    await storage.close();
    await database.dropDatabase();
    await client.close();
  }
}

async function fill(storage: Storage): Promise<void> {
  for (let n = 1; n <= PETS; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => storage.pets.create(newPet(n + index))));
  }
}

export async function storages(mongodbUrl: string | undefined): Promise<string> {
  const sections = [`## SQLite beside its driver\n\n${await sqlite()}`];
  if (mongodbUrl) sections.push(`## MongoDB beside its driver\n\n${await mongodb(mongodbUrl)}`);
  return sections.join("\n\n");
}
