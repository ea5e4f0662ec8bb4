// Measures the storage on PostgreSQL, examples/storage-postgres, beside its driver.
//
//   node bench/postgres.mjs [ROUNDS]
//
// Install and build the example first, as its README says. The program starts a PostgreSQL of its own on a loopback
// port, in a temporary folder.
import { createRequire } from "node:module";
import adapter from "../examples/storage-postgres/dist/src/storage.js";
import { Cluster } from "../examples/storage-postgres/dist/test/cluster.js";
import { besideDriver } from "./beside-driver.mjs";

const pg = createRequire(new URL("../examples/storage-postgres/package.json", import.meta.url))("pg");

const [rounds = "11"] = process.argv.slice(2);
const PETS = 10_000;
const COLUMNS = "id, name, category_id, status";
const silent = { debug() {}, info() {}, warn() {}, error() {} };

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
  await besideDriver(pairs, Number(rounds));
  await repository.close();
  await pool.end();
} finally {
  await cluster.remove();
}
