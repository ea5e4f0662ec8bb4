// Measures the MongoDB adapter beside its driver, and the time of a page in collections of three sizes.
//
//   npm run build && node bench/mongodb.mjs ratio|pages [URL]
//
// URL names a server, by default mongodb://127.0.0.1:27017/. The program drops its databases `petstore_test_bench_…`.
import { MongoClient } from "mongodb";
import { pino } from "pino";
import { MongodbPetRepository } from "../dist/src/adapters/mongodb/mongodb-pet-repository.js";
import { besideDriver, median } from "./beside-driver.mjs";

const [mode, server = "mongodb://127.0.0.1:27017/"] = process.argv.slice(2);
const STATUSES = ["available", "pending", "sold"];
const COLLECTION_OPTIONS = {
  writeConcern: { w: "majority", journal: true },
  readConcern: { level: "majority" },
};

const client = new MongoClient(server, { useBigInt64: true });
const databases = [];

async function open(name) {
  const database = client.db(`petstore_test_bench_${name}`);
  await database.dropDatabase();
  databases.push(database);
  const repository = await MongodbPetRepository.open(
    `${server}${database.databaseName}`,
    pino({ level: "silent" }),
  );
  return { repository, pets: database.collection("pets", COLLECTION_OPTIONS) };
}

async function fill(pets, count) {
  for (let id = 1; id <= count; id += 10_000) {
    const documents = Array.from({ length: Math.min(10_000, count - id + 1) }, (_, n) => ({
      _id: BigInt(id + n),
      name: `pet ${id + n}`,
      categoryId: BigInt(n),
      status: STATUSES[n % 3],
    }));
    await pets.insertMany(documents, { ordered: false });
  }
}

/** Adapter and driver send the same commands to the same collection, in turns. */
async function ratio() {
  const { repository, pets } = await open("ratio");
  await fill(pets, 10_000);
  await pets.deleteMany({ _id: { $gt: 10_000n } });
  let rawId = 2n ** 40n;
  const anyId = () => BigInt(1 + Math.floor(Math.random() * 9_000));
  const pet = { name: "Rex", categoryId: 7n, status: "available" };
  const pairs = {
    "list of 20": [
      () => repository.list({ status: undefined, after: anyId(), limit: 21 }),
      () => pets.find({ _id: { $gt: anyId() } }, { sort: { _id: 1 }, limit: 21 }).toArray(),
    ],
    "list of 20 by status": [
      () => repository.list({ status: "sold", after: anyId(), limit: 21 }),
      () =>
        pets
          .find({ status: "sold", _id: { $gt: anyId() } }, { sort: { _id: 1 }, limit: 21, hint: "_id_" })
          .toArray(),
    ],
    get: [() => repository.get(anyId()), () => pets.findOne({ _id: anyId() })],
    create: [() => repository.create(pet), () => pets.insertOne({ _id: rawId++, ...pet })],
  };
  await besideDriver(pairs, 10);
  await repository.close();
}

/** Measures the first and a deep page of 20 in collections of three sizes, in turns. */
async function pages() {
  const cases = [];
  for (const size of [1e3, 1e5, 1e6]) {
    const { repository, pets } = await open(`pages_${size}`);
    await fill(pets, size);
    for (const status of [undefined, "sold"]) {
      for (const [depth, after] of Object.entries({ first: 0n, deep: BigInt(size * 0.9) })) {
        cases.push({ size, depth, status, repository, took: [], after });
      }
    }
  }
  for (let round = 0; round < 1100; round++) {
    for (const { status, after, repository, took } of cases) {
      const begun = performance.now();
      const page = await repository.list({ status, after, limit: 21 });
      if (page.length !== 21) throw new Error(`a page of ${page.length}`);
      // The first rounds warm up.
      if (round >= 100) took.push(performance.now() - begun);
    }
  }
  for (const { size, depth, status = "any status", took } of cases) {
    console.log(`${String(size).padStart(7)} pets, ${depth} page, ${status}: ${median(took).toFixed(3)} ms`);
  }
  for (const repository of new Set(cases.map((one) => one.repository))) await repository.close();
}

try {
  await { ratio, pages }[mode]();
} finally {
  for (const database of databases) await database.dropDatabase();
  await client.close();
}
