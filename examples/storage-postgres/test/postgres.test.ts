import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { describeContract, otherProcess, SILENT_CONTEXT, storageOf } from "petstore/storage/contract";
import { deletePet, outage, pause, query } from "../src/outage.js";
import { SELECT_STATUS_RANGE } from "../src/pets.js";
import adapter from "../src/storage.js";
import { Cluster } from "./cluster.js";

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;

describe("PostgreSQL", () => {
  const cluster = new Cluster();
  before(() => cluster.start());
  after(() => cluster.remove());

  describeContract(
    storageOf(adapter, {
      newUrl: () => cluster.newUrl(),
      archive: true,
      ...otherProcess(fileURLToPath(import.meta.resolve("../src/storage.js"))),
      deletePet,
      outage,
      pause,
    }),
  );

  it("creates its tables once, in any number of processes that start at once", async () => {
    const url = cluster.newUrl();
    const storages = await Promise.all(Array.from({ length: 8 }, () => adapter.open(url, SILENT_CONTEXT)));
    const creations = await Promise.all(storages.map(({ pets }) => pets.create(REX)));
    assert.equal(new Set(creations.map(({ pet }) => pet.id)).size, 8);
    await Promise.all(storages.map((storage) => storage.close()));
  });

  it("works for a role that has only the rights in the README", async () => {
    const url = cluster.newUrl();
    await (await adapter.open(url, SILENT_CONTEXT)).close();
    await query(
      url,
      `CREATE ROLE petstore LOGIN; GRANT USAGE ON SCHEMA ${new URL(url).searchParams.get("schema")} TO petstore;
       GRANT SELECT, INSERT ON pets TO petstore; GRANT SELECT, USAGE ON SEQUENCE pets_id_seq TO petstore`,
    );
    const { pets, archive, close } = await adapter.open(
      url.replace("postgres@", "petstore@"),
      SILENT_CONTEXT,
    );
    const { pet } = await pets.create(REX);
    assert.deepEqual(await pets.list({ status: "available", after: 0n, limit: 10 }), [pet]);
    const copied = [{ pet: { ...REX, id: 1000n }, record: undefined }];
    await assert.rejects(archive?.storePets(copied) ?? Promise.resolve(), { code: "storage_unavailable" });
    await query(url, "GRANT UPDATE ON pets TO petstore; GRANT UPDATE ON SEQUENCE pets_id_seq TO petstore");
    await archive?.storePets(copied);
    assert.ok((await pets.create(REX)).pet.id > 1000n);
    await close();
  });

  it("refuses a database that it can never use, and says what to do", async () => {
    const url = cluster.newUrl();
    const open = (url: string) => adapter.open(url, SILENT_CONTEXT);
    await assert.rejects(open(url.replace("/postgres?", "/nowhere?")), /database .*createdb/);
    await assert.rejects(open(url.replace("postgres@", "nobody@")), /role/);
    await query(
      cluster.newUrl("public"),
      "CREATE SCHEMA foreign_pets",
      "CREATE TABLE foreign_pets.pets (id int)",
    );
    await assert.rejects(open(cluster.newUrl("foreign_pets")), /pets .*schema/);
    await query(cluster.newUrl("public"), "CREATE ROLE reader LOGIN");
    await assert.rejects(open(url.replace("postgres@", "reader@")), /create/);
  });

  it("reads a page of one status and nothing else, whatever pets stand before it", async () => {
    const url = cluster.newUrl();
    await (await adapter.open(url, SILENT_CONTEXT)).close();
    const [row] = await query(
      url,
      `INSERT INTO pets (name, category_id, status)
       SELECT 'pet', n, CASE WHEN n <= 50000 THEN 'available' ELSE 'sold' END FROM generate_series(1, 100000) AS n`,
      "ANALYZE pets",
      `PREPARE page (text, bigint, bigint) AS ${SELECT_STATUS_RANGE.text}`,
      "EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page ('sold', 0, 21)",
    );
    const plan = JSON.stringify(row);
    assert.match(plan, /"Index Name":"pets_by_status"/);
    assert.doesNotMatch(plan, /"Rows Removed by Filter"|"Node Type":"Sort"/);
  });
});

describe("the URL of a PostgreSQL", () => {
  it("is accepted, or refused with the rule that it breaks, and shown without its passwords", () => {
    assert.equal(adapter.check("postgresql://u:p%40@h:5432/pets?sslmode=require&max=20"), undefined);
    assert.match(`${adapter.check("postgres://127.0.0.1")}`, /^must name a server and a database/);
    assert.match(`${adapter.check("postgres://127.0.0.1/pets?max=0")}`, /^must have a number from 1 to 999/);
    assert.match(`${adapter.check("postgres://127.0.0.1/pets?schema=a;b")}`, /^must have lower-case letters/);
    assert.match(`${adapter.check("postgres://127.0.0.1/pets?sslmod=require")}`, /sslmod/);
    assert.match(`${adapter.check("postgres://u:100%@127.0.0.1/pets")}`, /%XX/);
    const shown = adapter.mask?.("postgres://u:a@b@h/pets?sslmode=require&password=secret&max=3");
    assert.equal(shown, "postgres://u:***@h/pets?sslmode=require&password=***&max=3");
  });
});
