import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type PetArchive,
  SILENT_CONTEXT,
  type Storage,
  type StorageContext,
  type StorageReading,
} from "petstore/storage";
import { makePool } from "../src/connection.js";
import { SELECT_STATUS_RANGE } from "../src/postgres-pet-repository.js";
import adapter from "../src/storage.js";
import { Cluster, withClient } from "./cluster.js";

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;

describe("The storage on PostgreSQL", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  const readings: StorageReading[] = [];
  const context: StorageContext = {
    ...SILENT_CONTEXT,
    addReading: (reading) => readings.push(reading),
  };

  before(async () => {
    cluster = await Cluster.start();
  });
  after(() => cluster.remove());

  async function withStorage<Result>(
    url: string,
    use: (storage: Storage) => Promise<Result>,
  ): Promise<Result> {
    const storage = await adapter.open(url, context);
    try {
      return await use(storage);
    } finally {
      await storage.close();
    }
  }

  it("makes its tables once, in any number of processes that start at once", async () => {
    const url = cluster.newUrl();
    const storages = await Promise.all(Array.from({ length: 8 }, () => adapter.open(url, context)));
    const creations = await Promise.all(storages.map(({ pets }) => pets.create(REX)));
    assert.equal(new Set(creations.map(({ pet }) => pet.id)).size, 8);
    await Promise.all(storages.map((storage) => storage.close()));
  });

  it("works for a role that has the rights in the README and no others", async () => {
    const url = cluster.newUrl();
    const schema = new URL(url).searchParams.get("schema");
    await withStorage(url, ({ pets }) => pets.create(REX));
    await withClient(url, (client) =>
      client.query(`
        CREATE ROLE petstore LOGIN;
        GRANT USAGE ON SCHEMA ${schema} TO petstore;
        GRANT SELECT, INSERT ON pets TO petstore;
        GRANT SELECT, USAGE ON SEQUENCE pets_id_seq TO petstore;`),
    );
    const record = { key: "key", fingerprint: "fingerprint" };
    const copied = { pet: { ...REX, id: 1000n }, record: undefined };
    await withStorage(url.replace("postgres@", "petstore@"), async (storage) => {
      const { pet } = await storage.pets.create(REX, record);
      assert.deepEqual(await storage.pets.create(REX, record), { pet, earlierFingerprint: "fingerprint" });
      assert.equal((await storage.pets.list({ status: "available", after: 0n, limit: 10 })).length, 2);
      await assert.rejects((storage.archive as PetArchive).storePets([copied]), {
        code: "storage_unavailable",
      });
    });
    await withClient(url, (client) =>
      client.query("GRANT UPDATE ON pets TO petstore; GRANT UPDATE ON SEQUENCE pets_id_seq TO petstore"),
    );
    await withStorage(url.replace("postgres@", "petstore@"), async (storage) => {
      await (storage.archive as PetArchive).storePets([copied]);
      assert.ok((await storage.pets.create(REX)).pet.id > 1000n);
    });
  });

  it("turns synchronous commits on, even for a role that has them off", async () => {
    const url = cluster.newUrl();
    const asked = "SELECT current_setting('synchronous_commit') AS setting";
    await withClient(url, (client) =>
      client.query("CREATE ROLE hasty LOGIN SUPERUSER; ALTER ROLE hasty SET synchronous_commit = off"),
    );
    const hasty = url.replace("postgres@", "hasty@");
    assert.equal((await withClient(hasty, (client) => client.query(asked))).rows[0].setting, "off");
    const pool = makePool(hasty, 1, null);
    assert.equal((await pool.query(asked)).rows[0].setting, "on");
    await pool.end();
  });

  it("reads a page of one status and nothing else, whatever pets stand before it", async () => {
    const url = cluster.newUrl();
    await withStorage(url, async () => {
      await withClient(url, async (client) => {
        await client.query(`
          INSERT INTO pets (name, category_id, status)
          SELECT 'pet', n, CASE WHEN n <= 50000 THEN 'available' ELSE 'sold' END FROM generate_series(1, 100000) AS n;
          ANALYZE pets`);
        for (const mode of ["force_custom_plan", "force_generic_plan"]) {
          await client.query(`SET plan_cache_mode = ${mode}`);
          await client.query(`PREPARE page (text, bigint, bigint) AS ${SELECT_STATUS_RANGE.text}`);
          const { rows } = await client.query("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page ('sold', 0, 21)");
          await client.query("DEALLOCATE page");
          const plan = JSON.stringify(rows[0]["QUERY PLAN"]);
          assert.match(plan, /"Index Name":"pets_by_status"/, mode);
          assert.doesNotMatch(plan, /"Rows Removed by Filter"|"Node Type":"Sort"/, mode);
        }
      });
    });
  });

  it("makes nothing that it may not make", async () => {
    const url = cluster.newUrl();
    const schema = new URL(url).searchParams.get("schema");
    await assert.rejects(adapter.open(url, { ...context, mayMake: false }), /no table pets; correct the URL/);
    const { rows } = await withClient(url, (client) =>
      client.query("SELECT to_regnamespace($1) AS schema", [schema]),
    );
    assert.equal(rows[0].schema, null);
  });

  it("refuses a database that cannot keep every name", async () => {
    const url = new URL(cluster.newUrl());
    await withClient(String(url), (client) =>
      client.query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"),
    );
    url.pathname = "/latin";
    await assert.rejects(adapter.open(String(url), context), /encoding LATIN1.*ENCODING 'UTF8'/);
  });

  it("opens without PostgreSQL, works once it is there, and tells /metrics of its connections", async () => {
    readings.length = 0;
    await cluster.kill();
    await withStorage(cluster.newUrl(), async (storage) => {
      await assert.rejects(storage.ping(), { code: "storage_unavailable" });
      await cluster.up();
      await storage.pets.create(REX);
      assert.deepEqual(
        readings.map(({ name, read }) => [name, read()]),
        [
          ["petstore_postgres_connections", 1],
          ["petstore_postgres_waiting", 0],
        ],
      );
    });
  });
});

describe("the URL of a PostgreSQL", () => {
  it("is accepted, or refused with the rule that it breaks", () => {
    for (const url of [
      "postgres://127.0.0.1/pets",
      "postgresql://u:p%40@h:5432/pets?sslmode=require&max=20",
    ]) {
      assert.equal(adapter.check(url), undefined);
    }
    const refused: Record<string, RegExp> = {
      "postgres:": /^must name a server and a database/,
      "postgres://127.0.0.1": /^must name a server and a database/,
      "postgres://127.0.0.1/pets?max=0": /^must have a number from 1 to 999 as max/,
      "postgres://127.0.0.1/pets?schema=a;b": /^must have lower-case letters/,
      "postgres://u:100%@127.0.0.1/pets": /%XX/,
    };
    for (const [url, rule] of Object.entries(refused)) assert.match(adapter.check(url) ?? "", rule);
  });

  it("is shown without its passwords", () => {
    const url = "postgres://user:secret@127.0.0.1/pets?sslmode=require&password=secret&max=3";
    assert.equal(
      adapter.mask?.(url),
      "postgres://user:***@127.0.0.1/pets?sslmode=require&password=***&max=3",
    );
    assert.equal(adapter.mask?.("postgres://u:a@b@h/p"), "postgres://u:***@h/p");
  });
});
