import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect } from "chai";
import type { Db, Document } from "mongodb";
import type { NewPet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";
import { codeOf, messageOf } from "../../support/code-of.js";
import { until } from "../../support/eventually.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

const INDEXES = [
  { key: { _id: 1 }, unique: false },
  { key: { status: 1, _id: 1 }, unique: false },
];

describeWithMongodb("MongoDB set-up", (url) => {
  const opened: MongodbStorage[] = [];

  const open = async (at = url) => {
    const storage = await openMongodb(at);
    opened.push(storage);
    return storage;
  };

  beforeEach(() => dropDatabase(url));

  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });

  const database = <Result>(use: (database: Db) => Promise<Result>) => withDatabase(url, use);
  const indexes = async () =>
    (await database((db) => db.collection("pets").listIndexes().toArray())).map(({ key, unique }) => ({
      key,
      unique: unique === true,
    }));

  it("refuses creates and is not ready, but reads, once the database is another one, until a restart accepts it", async () => {
    const storage = await open();
    await storage.pets.create(PET);
    for (const lose of [(db: Db) => db.collection("pets_keys").drop(), (db: Db) => db.dropDatabase()]) {
      await database(lose);
      const error = await storage.ping().catch((error) => error);
      expect(error.code).to.equal("storage_unavailable");
      expect(error.cause.message).to.match(
        /had the UUID \S+, and is gone; stop the service, restore .*, and start/,
      );
      expect(await codeOf(storage.pets.create(PET))).to.equal("storage_unavailable");
      expect(await storage.pets.list({ status: undefined, after: 0n, limit: 9 })).to.be.an("array");
    }
    const restarted = await open();
    expect((await restarted.pets.create(PET)).pet.id).to.equal(1n);
    expect(await codeOf(storage.ping())).to.equal("storage_unavailable");
  });

  const UNIQUE = { key: { "idempotency.key": 1 }, unique: true } as const;

  /** Pets under keys as 2.0.0 has stored them; the second has the claim of a create that died, too. */
  const storeAs200 = () =>
    database(async (db) => {
      await db.collection("pets").createIndex(UNIQUE.key, {
        name: "pets_by_idempotency_key",
        unique: true,
        partialFilterExpression: { "idempotency.key": { $exists: true } },
      });
      const idempotency = (key: string) => ({ key, fingerprint: key });
      await db.collection<{ _id: bigint }>("pets").insertMany([
        { ...PET, _id: 7n, idempotency: idempotency("a") },
        { ...PET, _id: 8n, idempotency: idempotency("b") },
      ] as never);
      await db
        .collection("pets_keys")
        .insertOne({ _id: "b", fingerprint: "died", pet: { ...PET, name: "Tom", _id: 9 } } as never);
    });

  /** Asserts that repeats get the pets of 2.0.0. */
  async function expectReplays({ pets }: MongodbStorage) {
    for (const [key, id] of [
      ["a", 7n],
      ["b", 8n],
    ] as const) {
      const { pet, earlierFingerprint } = await pets.create(PET, { key, fingerprint: "now" });
      expect({ id: pet.id, earlierFingerprint }).to.deep.equal({ id, earlierFingerprint: key });
    }
  }

  it("needs no index of 2.0.0 once the command of docs/mongodb.md has claimed the keys of its pets", async () => {
    await storeAs200();
    const [, command = ""] =
      /```js\n([^`]*aggregate[^`]*)```/.exec(readFileSync("docs/mongodb.md", "utf8")) ?? [];
    await database(async (db) => {
      const pets = db.collection("pets");
      // mongosh awaits each of its calls.
      let last: Promise<unknown> = Promise.resolve();
      const aggregate = (stages: Document[]) => {
        last = last.then(() => pets.aggregate(stages).toArray());
      };
      const dropIndex = (name: string) => {
        last = last.then(() => pets.dropIndex(name));
      };
      runInNewContext(command, { db: { pets: { aggregate, dropIndex } } });
      await last;
    });
    const storage = await open();
    await expectReplays(storage);
    expect(await storage.pets.list({ status: undefined, after: 0n, limit: 9 })).to.have.length(2);
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("keeps the unique index of 2.0.0, and finds a pet by it whose key has no claim, or the claim of a create that died", async () => {
    await storeAs200();
    const [one, other] = [await open(), await open()];
    for (const storage of [one, other, one]) await expectReplays(storage);
    const claims = await database((db) => db.collection("pets_keys").find().sort({ _id: 1 }).toArray());
    expect(claims.map(({ fingerprint, pet }) => [fingerprint, Number(pet._id)])).to.deep.equal([
      ["a", 7],
      ["b", 8],
    ]);
    expect(await indexes()).to.deep.include(UNIQUE);
  });

  it("happens once if many processes start at once, and one of them again", async () => {
    await Promise.all(Array.from({ length: 8 }, () => open()));
    await open();
    await Promise.all(opened.map((storage) => storage.pets.create(PET)));
    expect(await indexes()).to.deep.equal(INDEXES);
    expect(await database((db) => db.collection("counters").countDocuments())).to.equal(1);
  });

  it("needs no right to change indexes and validator once they are there, under whatever name", async () => {
    await database((db) => db.collection("pets").createIndex({ status: 1, _id: 1 }, { name: "by_hand" }));
    await (await open()).pets.create(PET);
    const proxy = await MongodbProxy.start(url);
    const unauthorized = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "not authorized" };
    proxy.trouble = { answers: { createIndexes: unauthorized, collMod: unauthorized, create: unauthorized } };
    const storage = await openMongodb(proxy.urlOf(url));
    await storage.pets.create(PET);
    expect(await indexes()).to.have.deep.members(INDEXES);
    await storage.close();
    await proxy.stop();
  });

  it("begins no create that has waited for it until its client got 503", async () => {
    const proxy = await MongodbProxy.start(url);
    proxy.trouble = { delay: 500 };
    const storage = await openMongodb(proxy.urlOf(url));
    expect(await codeOf(storage.pets.create({ ...PET, name: "late" }))).to.equal("storage_unavailable");
    proxy.trouble = {};
    // If the late one began, it would begin before the first of these.
    for (let n = 0; n < 3; n++) await storage.pets.create(PET);
    expect(await database((db) => db.collection("pets").distinct("name"))).to.deep.equal(["Rex"]);
    await storage.close();
    await proxy.stop();
  });

  it("leaves the storage unready while another index is in the way, names that one, and drops none", async () => {
    const name = "pets_by_status";
    await database((db) => db.collection("pets").createIndex({ name: 1 }, { name }));
    const storage = await open();
    const error = await storage.ping().catch((error) => error);
    expect(error).to.include({ code: "storage_unavailable" });
    expect(error.cause.message).to.include(name);
    expect(await indexes()).to.deep.include({ key: { name: 1 }, unique: false });
    await database((db) => db.collection("pets").dropIndex(name));
    await until(async () => (await messageOf(storage.ping())) === undefined);
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("gives the same identity under every name of the server, and another one for another database", async () => {
    const other = url.replace(/(\/[^/?]*)(\?|$)/, "$1_2$2");
    try {
      const [one, another] = [await open(), await open(other)];
      const same = await open(url.replace("127.0.0.1", "localhost"));
      expect(one.identity).to.be.a("string").and.to.equal(same?.identity);
      expect(another?.identity).to.be.a("string").and.to.not.equal(one.identity);
    } finally {
      await dropDatabase(other);
    }
  });

  describe("that may make nothing", () => {
    it("refuses a database without pets, and leaves it as it is", async () => {
      const error = await openMongodb(url, { mayMake: false }).catch((error) => error);
      expect(error.message).to.match(/^The database \S+ has no collection pets; correct the URL\.$/);
      expect(await database((db) => db.listCollections().toArray())).to.deep.equal([]);
    });

    it("reads a collection without index and validator, and makes neither", async () => {
      await database((db) => db.collection("pets").insertOne({ _id: 1n as never, ...PET }));
      const storage = await openMongodb(url, { mayMake: false });
      opened.push(storage);
      expect((await storage.pets.get(1n))?.name).to.equal("Rex");
      expect(await indexes()).to.deep.equal([INDEXES[0]]);
      expect(await database((db) => db.listCollections().toArray())).to.have.length(1);
    });
  });

  it("keeps a validator that an operator has set, and says so in the log once", async () => {
    const stricter = { $jsonSchema: { required: ["name"], properties: { name: { maxLength: 10 } } } };
    await database(async (db) => {
      await db.createCollection("pets");
      await db.command({ collMod: "pets", validator: stricter });
    });
    const captured = captureLog();
    const storage = await openMongodb(url, { log: captured.log });
    opened.push(storage);
    await storage.pets.create(PET);
    expect(captured.lines.map(({ msg }) => msg)).to.deep.equal([
      "the collection pets has another validator than this program's, and keeps it",
    ]);
    const [{ options } = { options: undefined }] = (await database((db) =>
      db.listCollections({ name: "pets" }).toArray(),
    )) as Document[];
    expect(options?.validator).to.deep.equal(stricter);
  });
});
