// Measures a copy beside the bare drivers of its storages: how fast it stores and verifies, and its peak
// memory, by size.
//
// npm run build && node bench/copy.mjs sqlite|mongodb|memory [SIZE] [ROUNDS] [MONGODB_URL]
//
// - sqlite copies from SQLite to SQLite, beside a bulk insert by the bare binding into the same table with the same
//   indexes.
// - mongodb copies from SQLite to MongoDB, beside a bare insertMany in the same batches into a collection with the
//   same indexes.
// - memory shows the peak memory of a copy from SQLite to SQLite, at a tenth of the size and at the size.
//
// Both sides take turns. MONGODB_URL names a server; the program drops its databases `petstore_test_bench_…`.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "@photostructure/sqlite";
import { MongoClient } from "mongodb";
import { CopyCatalogue } from "../dist/src/application/copy-catalogue.js";
import { BUILT_IN_STORAGES } from "../dist/src/storages/built-in.js";

const SELF = fileURLToPath(import.meta.url);
const STATUSES = ["available", "pending", "sold"];
const BATCH = 1000;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** A pet of a usual size; every second one has a record. */
function archived(n) {
  const id = BigInt(n);
  return {
    pet: { id, name: `A pet with the number ${n}`, categoryId: id % 100n, status: STATUSES[n % 3] },
    record: n % 2 ? { key: `${n}`.padStart(64, "k"), fingerprint: `${n}`.padStart(44, "f") } : undefined,
  };
}

async function open(url) {
  const adapter = BUILT_IN_STORAGES.adapters.find(({ schemes }) => schemes.includes(url.split(":")[0]));
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  return adapter.open(url, { log, addReading() {} });
}

/**
 * Runs in a process of its own. Copies, and prints how many seconds each phase took, and the peak memory in
 * MB.
 */
async function child(from, to) {
  const [source, target] = [await open(from), await open(to)];
  const ends = {};
  const observer = {
    async progressed({ phase }) {
      ends[phase] = performance.now();
      await new Promise(setImmediate);
    },
    async away(_side, { error }) {
      throw error;
    },
    back() {},
  };
  const { copied, verified } = await new CopyCatalogue(source, target, observer, "bench").execute();
  if (copied !== verified) throw new Error(`copied ${copied} and verified ${verified}`);
  const copying = (ends.copying - ends.comparing) / 1000;
  const verifying = (ends.verifying - ends.copying) / 1000;
  console.log(JSON.stringify({ copying, verifying, peak: process.resourceUsage().maxRSS / 1024 }));
  process.exit();
}

const runChild = (from, to) =>
  JSON.parse(
    execFileSync(process.execPath, [SELF, "child", from, to], { stdio: ["ignore", "pipe", "inherit"] }),
  );

async function makeSource(path, size) {
  const archive = await open(`sqlite:${path}`);
  for (let n = 1; n <= size; n += BATCH) {
    await archive.storePets(Array.from({ length: Math.min(BATCH, size - n + 1) }, (_, k) => archived(n + k)));
  }
  await archive.close();
}

/** How many seconds the bare binding takes, with a transaction for each `perCommit` pets. */
function bareSqlite(empty, path, size, perCommit) {
  copyFileSync(empty, path);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const insert = database.prepare(
    "INSERT INTO pets (id, name, category_id, status, idempotency_key, idempotency_fingerprint) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const begun = performance.now();
  for (let n = 1; n <= size; n++) {
    if ((n - 1) % perCommit === 0) database.exec("BEGIN IMMEDIATE");
    const { pet, record } = archived(n);
    insert.run(
      pet.id,
      pet.name,
      pet.categoryId,
      pet.status,
      record?.key ?? null,
      record?.fingerprint ?? null,
    );
    if (n % perCommit === 0 || n === size) database.exec("COMMIT");
  }
  const seconds = (performance.now() - begun) / 1000;
  database.close();
  return seconds;
}

function report(size, bareName, rounds) {
  const of = (value) => median(rounds.map(value));
  const perSecond = (seconds) => Math.round(size / seconds);
  console.log(`${size} pets, median of ${rounds.length} rounds:`);
  console.log(`  ${bareName}: ${perSecond(of(({ bare }) => bare))} pets/s`);
  console.log(
    `  copy: ${perSecond(of(({ copying }) => copying))} pets/s, ratio ${of(({ bare, copying }) => bare / copying).toFixed(2)}`,
  );
  console.log(
    `  verify: ${perSecond(of(({ verifying }) => verifying))} pets/s, ${of(({ copying, verifying }) => copying / verifying).toFixed(2)} of copying`,
  );
  console.log(`  peak memory of the copy: ${of(({ peak }) => peak).toFixed(0)} MB`);
}

const [mode, ...args] = process.argv.slice(2);
const folder = mode === "child" ? "" : mkdtempSync(join(tmpdir(), "petstore-bench-"));

async function sqlite(size, count) {
  const source = join(folder, "source.db");
  await makeSource(source, size);
  const empty = join(folder, "empty.db");
  await makeSource(empty, 0);
  for (const [name, perCommit] of [
    [`the binding alone, a commit for ${BATCH}`, BATCH],
    ["the binding alone, one commit for all", size],
  ]) {
    const rounds = [];
    for (let round = 0; round < count; round++) {
      const bare = bareSqlite(empty, join(folder, `bare${perCommit}-${round}.db`), size, perCommit);
      const target = join(folder, `target${perCommit}-${round}.db`);
      rounds.push({ bare, ...runChild(`sqlite:${source}`, `sqlite:${target}`) });
      for (const path of [target, join(folder, `bare${perCommit}-${round}.db`)])
        rmSync(path, { force: true });
    }
    report(size, name, rounds);
  }
}

async function mongodb(size, count, server = "mongodb://127.0.0.1:27017/") {
  const source = join(folder, "source.db");
  await makeSource(source, size);
  const client = await new MongoClient(server, { useBigInt64: true }).connect();
  const rounds = [];
  const [base] = server.split(/(?<=\w\/)/);
  const urlOf = (name) => `${base.endsWith("/") ? base : `${base}/`}petstore_test_bench_${name}`;
  try {
    for (let round = 0; round < count; round++) {
      for (const name of ["bare", "copy"]) await client.db(`petstore_test_bench_${name}`).dropDatabase();
      // The adapter makes the collection with its indexes and its rule, the same for both.
      await (await open(urlOf("bare"))).close();
      const pets = client
        .db("petstore_test_bench_bare")
        .collection("pets", { writeConcern: { w: "majority", journal: true } });
      let bare = 0;
      for (let n = 1; n <= size; n += BATCH) {
        const documents = Array.from({ length: Math.min(BATCH, size - n + 1) }, (_, k) => {
          const { pet, record } = archived(n + k);
          const { id, ...rest } = pet;
          return { _id: id, ...rest, ...(record && { idempotency: record }) };
        });
        const begun = performance.now();
        await pets.insertMany(documents, { ordered: false });
        bare += (performance.now() - begun) / 1000;
      }
      rounds.push({ bare, ...runChild(`sqlite:${source}`, urlOf("copy")) });
    }
  } finally {
    for (const name of ["bare", "copy"]) await client.db(`petstore_test_bench_${name}`).dropDatabase();
    await client.close();
  }
  report(size, `insertMany of ${BATCH}`, rounds);
}

async function memory(size, count) {
  const sizes = [size / 10, size];
  const peaks = sizes.map(() => []);
  for (const pets of sizes) await makeSource(join(folder, `source${pets}.db`), pets);
  for (let round = 0; round < count; round++) {
    for (const [index, pets] of sizes.entries()) {
      const target = join(folder, `target${pets}-${round}.db`);
      peaks[index].push(runChild(`sqlite:${join(folder, `source${pets}.db`)}`, `sqlite:${target}`).peak);
      rmSync(target);
    }
  }
  const [small, large] = peaks.map(median);
  console.log(
    `peak memory at ${sizes[0]} pets ${small.toFixed(0)} MB, at ${sizes[1]} ${large.toFixed(0)} MB: ${(large / small).toFixed(2)} of it`,
  );
}

try {
  if (mode === "child") await child(...args);
  const [size = "1000000", rounds = "3", url] = args;
  await { sqlite, mongodb, memory }[mode](Number(size), Number(rounds), url);
} finally {
  if (folder) rmSync(folder, { recursive: true });
}
