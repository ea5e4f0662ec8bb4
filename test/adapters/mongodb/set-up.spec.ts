import { expect } from "chai";
import type { Db, Document } from "mongodb";
import { MongodbPetRepository } from "../../../src/adapters/mongodb/mongodb-pet-repository.js";
import type { NewPet } from "../../../src/domain/pet.js";
import { captureLog } from "../../support/captured-log.js";
import { eventually } from "../../support/eventually.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

describeWithMongodb("MongoDB set-up", (url) => {
  const captured = captureLog();
  const opened: MongodbPetRepository[] = [];

  const open = async (at = url) => {
    const repository = await MongodbPetRepository.open(at, captured.log);
    opened.push(repository);
    return repository;
  };

  beforeEach(() => dropDatabase(url));

  afterEach(async () => {
    for (const repository of opened.splice(0)) await repository.close();
    captured.lines.length = 0;
  });

  const database = <Result>(use: (database: Db) => Promise<Result>) => withDatabase(url, use);
  const pets = () => database((db) => db.collection("pets").listIndexes().toArray());
  const indexKeys = async () =>
    (await pets()).map(({ name, key, unique }) => ({ name, key, unique: unique === true }));
  const messages = () => captured.lines.map(({ msg }) => msg);

  const INDEXES = [
    { name: "_id_", key: { _id: 1 }, unique: false },
    { name: "pets_by_status", key: { status: 1, _id: 1 }, unique: false },
    { name: "pets_by_idempotency_key", key: { "idempotency.key": 1 }, unique: true },
  ];

  it("makes the indexes, the validator and the counter before anything is stored", async () => {
    await open();
    expect(await indexKeys()).to.deep.equal(INDEXES);
    const [{ options } = { options: undefined }] = (await database((db) =>
      db.listCollections({ name: "pets" }).toArray(),
    )) as Document[];
    expect(options?.validator.$jsonSchema.required).to.deep.equal(["_id", "name", "categoryId", "status"]);
    expect(await database((db) => db.collection("counters").findOne({}))).to.deep.equal({
      _id: "pets",
      next: 1n,
    });
  });

  it("happens once if many processes start at once, and one of them again", async function () {
    this.timeout(30_000);
    await Promise.all(Array.from({ length: 8 }, () => open()));
    await open();
    expect(await indexKeys()).to.deep.equal(INDEXES);
    expect(await database((db) => db.collection("counters").countDocuments())).to.equal(1);
    await Promise.all(opened.map((repository) => repository.create(PET)));
  });

  it("needs no right to change indexes and validator once they are there", async () => {
    await (await open()).create(PET);
    const proxy = await MongodbProxy.start(url);
    const unauthorized = { ok: 0, code: 13, codeName: "Unauthorized", errmsg: "not authorized" };
    proxy.trouble = { answers: { createIndexes: unauthorized, collMod: unauthorized, create: unauthorized } };
    const repository = await open(proxy.urlOf(url));
    await repository.create(PET);
    expect(messages()).to.deep.equal([]);
    await repository.close();
    opened.pop();
    await proxy.stop();
  });

  it("reports indexes of another shape, drops none, and works beside them", async () => {
    await database(async (db) => {
      await db.collection("pets").createIndex({ "idempotency.key": 1 });
      await db.collection("pets").createIndex({ status: 1, _id: 1 }, { sparse: true, name: "sparse" });
    });
    const before = await indexKeys();
    const repository = await open();
    const { pet } = await repository.create(PET, { key: "key", fingerprint: "1" });
    expect(await repository.create(PET, { key: "key", fingerprint: "2" })).to.deep.equal({
      pet,
      replayed: "1",
    });
    expect(await indexKeys()).to.include.deep.members(before);
    expect(captured.lines.map(({ index }) => (index as Document | undefined)?.name)).to.have.members([
      "sparse",
      "idempotency.key_1",
    ]);
  });

  it("lets lists by status go without their index if one of another shape has its name", async () => {
    await database((db) => db.collection("pets").createIndex({ name: 1 }, { name: "pets_by_status" }));
    const repository = await open();
    const { pet } = await repository.create(PET);
    expect(await repository.list({ status: "available", after: 0n, limit: 5 })).to.deep.equal([pet]);
    expect(messages()).to.include(
      "lists by status lack their index and slow down as pets grow; drop the one in its way",
    );
    expect((await indexKeys()).find(({ name }) => name === "pets_by_status")?.key).to.deep.equal({ name: 1 });
  });

  it("leaves the storage unready until idempotency keys can be kept unique", async function () {
    this.timeout(30_000);
    await database((db) =>
      db.collection("pets").createIndex({ name: 1 }, { name: "pets_by_idempotency_key" }),
    );
    const repository = await open();
    const error = await repository.ping().catch((error) => error);
    expect(error).to.include({ code: "storage_unavailable" });
    expect(error.cause.message).to.include("idempotency.key; drop pets_by_idempotency_key");
    await database((db) => db.collection("pets").dropIndex("pets_by_idempotency_key"));
    await eventually(() =>
      repository
        .ping()
        .then(() => true)
        .catch(() => undefined),
    );
    expect(await indexKeys()).to.have.deep.members(INDEXES);
  });

  it("lets lists use the index on (status, _id) if the engine reads it in order, and makes it anew if it is gone", async function () {
    this.timeout(30_000);
    const proxy = await MongodbProxy.start(url);
    proxy.trouble = { answers: { explain: { ok: 1, queryPlanner: { winningPlan: { stage: "LIMIT" } } } } };
    const repository = await open(proxy.urlOf(url));
    const { pet } = await repository.create(PET);
    const list = () => repository.list({ status: "available", after: 0n, limit: 5 }).catch(() => undefined);
    expect(await list()).to.deep.equal([pet]);
    await database((db) => db.collection("pets").dropIndex("pets_by_status"));
    // A query that names an index fails if that index is gone.
    expect(await list()).to.equal(undefined);
    expect(await eventually(list)).to.deep.equal([pet]);
    expect(await indexKeys()).to.have.deep.members(INDEXES);
    await repository.close();
    opened.pop();
    await proxy.stop();
  });

  it("uses the database that the URL names", async () => {
    await (await open()).create(PET);
    expect(await database((db) => db.collection("pets").countDocuments())).to.equal(1);
  });
});
