// What the MongoDB adapter adds to the driver, and what a page costs by the size of the collection.
//
//   npm run build && node bench/mongodb.mjs ratio|pages [URL]
//
// URL names a server whose databases `petstore_test_bench_…` may be dropped; mongodb://127.0.0.1:27017/ otherwise.
// Both sides of a comparison take turns, so that whatever else the machine does meets them alike.
import { MongoClient } from "mongodb";
import { pino } from "pino";
import { MongodbPetRepository } from "../dist/src/adapters/mongodb/mongodb-pet-repository.js";

const [mode, server = "mongodb://127.0.0.1:27017/"] = process.argv.slice(2);
const STATUSES = ["available", "pending", "sold"];
const COLLECTION_OPTIONS = {
  writeConcern: { w: "majority", journal: true },
  readConcern: { level: "majority" },
};

const client = new MongoClient(server, { useBigInt64: true });
const databases = [];
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

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

/** How many operations end per second, `inFlight` at a time, and what each costs this process, in microseconds. */
async function throughput(operation, inFlight, milliseconds) {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let done = 0;
  const worker = async () => {
    while (performance.now() - begun < milliseconds) {
      await operation();
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const { user, system } = process.cpuUsage(cpu);
  return { rate: done / ((performance.now() - begun) / 1000), cost: (user + system) / done };
}

/** Adapter against driver: the same command to the same collection, in turns. */
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
  for (const [what, [adapter, driver]] of Object.entries(pairs)) {
    for (const inFlight of [64, 1]) {
      const rounds = [];
      for (let round = 0; round < 11; round++) {
        const ours = await throughput(adapter, inFlight, 700);
        const raw = await throughput(driver, inFlight, 700);
        // The first round warms up.
        if (round > 0) rounds.push({ ours, raw });
      }
      const of = (value) => median(rounds.map(value));
      console.log(
        `${what.padEnd(20)} ${String(inFlight).padStart(2)} in flight:` +
          ` adapter ${of(({ ours }) => ours.rate).toFixed(0)}/s, driver ${of(({ raw }) => raw.rate).toFixed(0)}/s,` +
          ` ratio ${of(({ ours, raw }) => ours.rate / raw.rate).toFixed(2)};` +
          ` processor time ${of(({ ours }) => ours.cost).toFixed(0)} and ${of(({ raw }) => raw.cost).toFixed(0)} µs`,
      );
    }
  }
  await repository.close();
}

/** What one page of 20 takes, first and deep, in collections of three sizes, in turns. */
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
