import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { MongoClient } from "mongodb";
import mongodb from "../src/adapters/mongodb/mongodb-adapter.js";
import sqlite from "../src/adapters/sqlite/sqlite-adapter.js";
import { SILENT_CONTEXT, type Storage, type StorageAdapter } from "../src/application/storage-adapter.js";
import { median, ratio, table } from "./report.js";

// Each storage beside its bare driver, which does the same to the same tables, and nothing else.

const PETS = 10_000;
const ROUNDS = 5;
const MILLISECONDS = 400;
const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;
const PAGE = { status: undefined, after: 500n, limit: 21 };

type Pairs = Readonly<Record<string, readonly [ours: () => unknown, driver: () => unknown]>>;

/** Operations per second, 64 at once. */
async function rate(operation: () => unknown): Promise<number> {
  const until = performance.now() + MILLISECONDS;
  let done = 0;
  async function repeat(): Promise<void> {
    for (; performance.now() < until; done++) await operation();
  }
  await Promise.all(Array.from({ length: 64 }, repeat));
  return (done * 1000) / MILLISECONDS;
}

async function compare(name: string, pairs: Pairs): Promise<string> {
  const rows: string[][] = [];
  for (const [operation, [ours, driver]] of Object.entries(pairs)) {
    const figures: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      figures[0].push(await rate(ours));
      figures[1].push(await rate(driver));
    }
    rows.push([operation, ...figures.map((one) => median(one).toFixed(0)), ratio(...figures)]);
  }
  return `## ${name} beside its driver, 64 at once\n\n${table("operation | ours/s | driver/s | ours ÷ driver", rows)}`;
}

/** Calls back with the storage at a URL, full of pets, and closes it. */
async function withStorage(adapter: StorageAdapter, url: string, use: (storage: Storage) => Promise<string>) {
  const storage = await adapter.open(url, SILENT_CONTEXT);
  const fill = () => Promise.all(Array.from({ length: 100 }, () => storage.pets.create(REX)));
  for (let made = 0; made < PETS; made += 100) await fill();
  return use(storage).finally(() => storage.close());
}

async function besideSqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  const file = join(folder, "petstore.db");
  return withStorage(sqlite, `sqlite:${file}`, ({ pets }) => {
    const database = new DatabaseSync(file);
    database.exec("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000");
    const columns = "id, name, category_id, status";
    const list = database.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT 21`);
    const get = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
    const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
    for (const statement of [list, get, insert]) statement.setReadBigInts(true);
    return compare("SQLite", {
      list: [() => pets.list(PAGE), () => list.all(500n)],
      get: [() => pets.get(77n), () => get.get(77n)],
      create: [() => pets.create(REX), () => insert.run("Rex", 7n, "available")],
    }).finally(() => database.close());
  }).finally(() => rmSync(folder, { recursive: true }));
}

/** Uses, and drops, a database of its own on the server. */
async function besideMongodb(server: string): Promise<string> {
  const url = new URL("/petstore_test_bench", server).href;
  const client = await new MongoClient(url, { writeConcern: { w: "majority", journal: true } }).connect();
  await client.db().dropDatabase();
  const collection = client.db().collection<{ _id: bigint }>("pets", { useBigInt64: true });
  let id = 2n ** 40n;
  return withStorage(mongodb, url, ({ pets }) =>
    compare("MongoDB", {
      list: [
        () => pets.list(PAGE),
        () => collection.find({ _id: { $gt: 500n } }, { sort: { _id: 1 }, limit: 21 }).toArray(),
      ],
      get: [() => pets.get(77n), () => collection.findOne({ _id: 77n })],
      create: [() => pets.create(REX), () => collection.insertOne({ _id: id++, ...REX })],
    }),
  ).finally(() =>
    client
      .db()
      .dropDatabase()
      .then(() => client.close()),
  );
}

/** @param mongodbUrl a MongoDB server for tests; left out if there is none */
export async function besideDrivers(mongodbUrl: string | undefined): Promise<string> {
  const parts = [await besideSqlite(), ...(mongodbUrl ? [await besideMongodb(mongodbUrl)] : [])];
  return parts.join("\n\n");
}
