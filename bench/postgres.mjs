// What the storage on PostgreSQL, examples/storage-postgres, adds to its driver.
//
//   node bench/postgres.mjs [ROUNDS]
//
// Wants the example installed and built, as its README says. Starts a PostgreSQL of its own on a loopback port, in a
// temporary folder. Both sides of a comparison take turns, so that whatever else the machine does meets them alike.
import { createRequire } from "node:module";
import adapter from "../examples/storage-postgres/dist/src/storage.js";
import { Cluster } from "../examples/storage-postgres/dist/test/cluster.js";

const pg = createRequire(new URL("../examples/storage-postgres/package.json", import.meta.url))("pg");

const [rounds = "11"] = process.argv.slice(2);
const PETS = 10_000;
const COLUMNS = "id, name, category_id, status";
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

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

const cluster = await Cluster.start();
try {
  const url = cluster.newUrl();
  const schema = new URL(url).searchParams.get("schema");
  const repository = await adapter.open(url, { log: silent, addReading() {} });
  const pool = new pg.Pool({ connectionString: url, max: 10, options: `-c search_path=${schema}` });
  await pool.query(`INSERT INTO pets (name, category_id, status)
    SELECT 'pet ' || n, n, (ARRAY['available', 'pending', 'sold'])[1 + n % 3] FROM generate_series(1, ${PETS}) AS n`);
  await pool.query("ANALYZE pets");
  const anyId = () => 1 + Math.floor(Math.random() * (PETS - 1000));
  const pet = { name: "Rex", categoryId: 7n, status: "available" };
  let keys = 0;
  const driver = (name, text, values) => pool.query({ name, text, values });
  const pairs = {
    "list of 20": [
      () => repository.list({ status: undefined, after: BigInt(anyId()), limit: 21 }),
      () => driver("list", `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`, [anyId(), 21]),
    ],
    "list of 20 by status": [
      () => repository.list({ status: "sold", after: BigInt(anyId()), limit: 21 }),
      () =>
        driver(
          "by-status",
          `SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
          ["sold", anyId(), 21],
        ),
    ],
    get: [
      () => repository.get(BigInt(anyId())),
      () => driver("get", `SELECT ${COLUMNS} FROM pets WHERE id = $1`, [anyId()]),
    ],
    create: [
      () => repository.create(pet),
      () =>
        driver("create", "INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id", [
          "Rex",
          7,
          "available",
        ]),
    ],
    "create with a key": [
      () => repository.create(pet, { key: `adapter ${++keys}`, fingerprint: "f" }),
      () =>
        driver(
          "create-keyed",
          `INSERT INTO pets (name, category_id, status, idempotency_key, idempotency_fingerprint)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
          ["Rex", 7, "available", `driver ${++keys}`, "f"],
        ),
    ],
  };
  for (const [what, [ours, raw]] of Object.entries(pairs)) {
    for (const inFlight of [64, 1]) {
      const measured = [];
      for (let round = 0; round <= Number(rounds); round++) {
        const one = {
          ours: await throughput(ours, inFlight, 700),
          raw: await throughput(raw, inFlight, 700),
        };
        // The first round warms up.
        if (round > 0) measured.push(one);
      }
      const of = (value) => median(measured.map(value));
      console.log(
        `${what.padEnd(20)} ${String(inFlight).padStart(2)} in flight:` +
          ` adapter ${of((one) => one.ours.rate).toFixed(0)}/s, driver ${of((one) => one.raw.rate).toFixed(0)}/s,` +
          ` ratio ${of((one) => one.ours.rate / one.raw.rate).toFixed(2)};` +
          ` processor time ${of((one) => one.ours.cost).toFixed(0)} and ${of((one) => one.raw.cost).toFixed(0)} µs`,
      );
    }
  }
  await repository.close();
  await pool.end();
} finally {
  await cluster.remove();
}
