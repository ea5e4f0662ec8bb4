import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { PetArchive, PetRepository, StorageContext, StorageReading } from "petstore/storage";
import adapter from "../src/storage.js";
import { Cluster, withClient } from "./cluster.js";

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;

describe("The storage on PostgreSQL", { timeout: 120_000 }, () => {
  let cluster: Cluster;
  const readings: StorageReading[] = [];
  const silent = () => {};
  const context: StorageContext = {
    log: { debug: silent, info: silent, warn: silent, error: silent },
    addReading: (reading) => readings.push(reading),
  };

  before(async () => {
    cluster = await Cluster.start();
  });
  after(() => cluster.remove());

  async function withRepository<Result>(
    url: string,
    use: (repository: PetRepository & PetArchive) => Promise<Result>,
  ): Promise<Result> {
    const repository = await adapter.open(url, context);
    try {
      return await use(repository as PetRepository & PetArchive);
    } finally {
      await repository.close();
    }
  }

  it("makes its tables once, in any number of processes that start at once", async () => {
    const url = cluster.newUrl();
    const repositories = await Promise.all(Array.from({ length: 8 }, () => adapter.open(url, context)));
    const creations = await Promise.all(repositories.map((repository) => repository.create(REX)));
    assert.equal(new Set(creations.map(({ pet }) => pet.id)).size, 8);
    await Promise.all(repositories.map((repository) => repository.close()));
  });

  it("works for a role that has the rights in the README and no others", async () => {
    const url = cluster.newUrl();
    const schema = new URL(url).searchParams.get("schema");
    await withRepository(url, (repository) => repository.create(REX));
    await withClient(url, (client) =>
      client.query(`
        CREATE ROLE petstore LOGIN;
        GRANT USAGE ON SCHEMA ${schema} TO petstore;
        GRANT SELECT, INSERT ON pets TO petstore;
        GRANT SELECT, INSERT, UPDATE, DELETE ON pets_mark TO petstore;
        GRANT SELECT, USAGE ON SEQUENCE pets_id_seq TO petstore;`),
    );
    const record = { key: "key", fingerprint: "fingerprint" };
    const copied = { pet: { ...REX, id: 1000n }, record: undefined };
    await withRepository(url.replace("postgres@", "petstore@"), async (repository) => {
      const { pet } = await repository.create(REX, record);
      assert.deepEqual(await repository.create(REX, record), { pet, replayed: "fingerprint" });
      assert.equal((await repository.list({ status: "available", after: 0n, limit: 10 })).length, 2);
      await assert.rejects(repository.storePets([copied]), { code: "storage_unavailable" });
    });
    await withClient(url, (client) =>
      client.query("GRANT UPDATE ON pets TO petstore; GRANT UPDATE ON SEQUENCE pets_id_seq TO petstore"),
    );
    await withRepository(url.replace("postgres@", "petstore@"), async (repository) => {
      await repository.storePets([copied]);
      assert.ok((await repository.create(REX)).pet.id > 1000n);
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
    const { makePool } = await import("../src/pool.js");
    const pool = makePool(hasty);
    assert.equal((await pool.query(asked)).rows[0].setting, "on");
    await pool.end();
  });

  it("refuses a table pets of another program, and a database that cannot keep every name", async () => {
    const url = cluster.newUrl();
    const schema = new URL(url).searchParams.get("schema");
    await withClient(url, (client) =>
      client.query(`
        CREATE SCHEMA ${schema};
        CREATE TABLE pets (id int PRIMARY KEY, owner text);
        CREATE TABLE pets_mark (mark text)`),
    );
    await assert.rejects(adapter.open(url, context), /a table pets that is not petstore's.*\?schema=NAME/);
    const latin = new URL(url);
    latin.pathname = "/latin";
    await withClient(url, (client) =>
      client.query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"),
    );
    await assert.rejects(adapter.open(String(latin), context), /encoding LATIN1.*ENCODING 'UTF8'/);
  });

  it("reads a page of one status and nothing else, whatever pets stand before it", async () => {
    const url = cluster.newUrl();
    await withRepository(url, async () => {
      await withClient(url, async (client) => {
        await client.query(`
          INSERT INTO pets (name, category_id, status)
          SELECT 'pet', n, CASE WHEN n <= 50000 THEN 'available' ELSE 'sold' END FROM generate_series(1, 100000) AS n;
          ANALYZE pets`);
        const { SELECT_STATUS_RANGE } = await import("../src/postgres-pet-repository.js");
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

  it("tells /metrics of its connections and inserts", async () => {
    readings.length = 0;
    await withRepository(cluster.newUrl(), async (repository) => {
      await Promise.all(Array.from({ length: 100 }, () => repository.create(REX)));
      const read = Object.fromEntries(readings.map(({ name, read }) => [name, read()]));
      const inserts = read.petstore_postgres_inserts_total ?? 0;
      assert.ok(inserts >= 1 && inserts < 100, `${inserts} inserts of 100 creates`);
      assert.ok((read.petstore_postgres_connections ?? 0) >= 1);
      assert.equal(read.petstore_postgres_connections_in_use, 0);
      assert.equal(read.petstore_postgres_waiting, 0);
    });
  });

  it("fails no other create that shares an insert with one that cannot be stored", async () => {
    await withRepository(cluster.newUrl(), async (repository) => {
      const names = Array.from({ length: 20 }, (_, n) => (n === 7 ? "not\0storable" : `pet ${n}`));
      const settled = await Promise.allSettled(names.map((name) => repository.create({ ...REX, name })));
      const failed = settled.flatMap((one, n) => (one.status === "rejected" ? [n] : []));
      assert.deepEqual(failed, [7]);
      assert.equal((await repository.list({ status: undefined, after: 0n, limit: 100 })).length, 19);
    });
  });

  it("looks at a schema without changing it, and knows it by any URL", async () => {
    const url = cluster.newUrl();
    const before = await adapter.look?.(url);
    assert.equal(before?.exists, false);
    await withRepository(url, async (repository) => {
      await repository.create(REX);
      const sight = await adapter.look?.(url);
      assert.equal(sight?.exists, true);
      assert.equal(sight?.inUse, true);
      assert.ok((sight?.bytes ?? 0) > 0);
      assert.equal(sight?.identity, before?.identity);
      assert.equal(sight?.identity, (await adapter.look?.(url.replace("127.0.0.1", "localhost")))?.identity);
      assert.notEqual(sight?.identity, (await adapter.look?.(cluster.newUrl()))?.identity);
    });
    // The server takes a moment to notice that a connection is gone.
    for (let n = 0; n < 100 && (await adapter.look?.(url))?.inUse; n++) await sleep(20);
    assert.equal((await adapter.look?.(url))?.inUse, false);
  });

  it("reads on and refuses creates if the server only reads, and names the cause", async () => {
    const url = cluster.newUrl();
    await withRepository(url, (repository) => repository.create(REX));
    await withClient(url, (client) =>
      client.query(
        "CREATE ROLE reader LOGIN SUPERUSER; ALTER ROLE reader SET default_transaction_read_only = on",
      ),
    );
    await withRepository(url.replace("postgres@", "reader@"), async (repository) => {
      const refused = await repository.create(REX).catch((error) => error);
      assert.equal(refused.code, "storage_unavailable");
      assert.match(String(refused.cause), /read-only transaction/);
      assert.equal((await repository.list({ status: undefined, after: 0n, limit: 10 })).length, 1);
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
