import { expect } from "chai";
import { BSON, type CollectionInfo, type Db, type Document, Int32 } from "mongodb";
import { captureLog } from "../../support/captured-log.js";
import { codeOf, messageOf } from "../../support/code-of.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET = { name: "Rex", categoryId: 7n, status: "available" } as const;
const ALL = { status: undefined, after: 0n, limit: 99 };

type Stored = Document & { readonly _id: unknown };

const INDEXES = [
  { key: { _id: 1 }, unique: false },
  { key: { status: 1, _id: 1 }, unique: false },
];

const creation = new BSON.ObjectId();
const TURTLE = { _id: 1n, name: "Żółw 🐢", categoryId: -(2n ** 63n), status: "available", creation };
const REX = { _id: 2n, name: "Rex", categoryId: 7n, status: "sold", creation };

/** A database as 3.0.0 and 4.0.0 write it: three pets of five that were created, and the claim of a create that died. */
const EXISTING: Readonly<Record<string, Stored[]>> = {
  pets: [
    TURTLE,
    { ...REX, idempotency: { key: "key 2", fingerprint: "fingerprint 2" } },
    { _id: 5n, name: "Tom", categoryId: 2n ** 53n + 1n, status: "pending", creation },
  ],
  pets_keys: [
    { _id: "key 2", fingerprint: "fingerprint 2", pet: REX },
    { _id: "key 4", fingerprint: "fingerprint 4", pet: { ...REX, _id: 4n, name: "died" } },
  ],
  counters: [{ _id: "pets", next: 1001n }],
};

describeWithMongodb("The set-up of a MongoDB database", (url) => {
  const opened: MongodbStorage[] = [];

  async function open(address = url, context = {}): Promise<MongodbStorage> {
    const storage = await openMongodb(address, context);
    opened.push(storage);
    return storage;
  }

  beforeEach(() => dropDatabase(url));
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
  });

  const database = <Result>(use: (db: Db) => Promise<Result>) => withDatabase(url, use);
  const createIndex = (key: Record<string, 1>, options: object) =>
    database((db) => db.collection("pets").createIndex(key, options));
  const indexes = () =>
    database(async (db) =>
      (await db.collection("pets").indexes()).map(({ key, unique = false }) => ({ key, unique })),
    );
  const insert = (documents: readonly Stored[], collection = "pets") =>
    database((db) => db.collection<Stored>(collection).insertMany([...documents]));
  const validator = async () => {
    const [info] = await database((db) => db.listCollections<CollectionInfo>({ name: "pets" }).toArray());
    return info?.options?.validator;
  };

  it("opens a database of 3.0.0 as it is, with its pets, keys and ids", async () => {
    for (const [name, documents] of Object.entries(EXISTING)) await insert(documents, name);
    const { pets, archive } = await open();
    const [first, second, third] = await pets.list(ALL);
    expect([first, second, third]).to.deep.equal([
      { id: 1n, name: "Żółw 🐢", categoryId: -(2n ** 63n), status: "available" },
      { id: 2n, name: "Rex", categoryId: 7n, status: "sold" },
      { id: 5n, name: "Tom", categoryId: 2n ** 53n + 1n, status: "pending" },
    ]);
    expect(await pets.get(5n)).to.deep.equal(third);
    expect(await archive.highestId()).to.equal(1000n);
    const [, archived] = await archive.readPets({ after: 0n, limit: 9 });
    expect(archived?.record).to.deep.equal({ key: "key 2", fingerprint: "fingerprint 2" });
    const replayed = await pets.create(PET, { key: "key 2", fingerprint: "other" });
    expect(replayed).to.deep.equal({ pet: second, earlierFingerprint: "fingerprint 2" });
    const finished = await pets.create(PET, { key: "key 4", fingerprint: "fingerprint 4" });
    expect(finished.pet).to.include({ id: 4n, name: "died" });
    expect(Number((await pets.create(PET)).pet.id)).to.be.within(1001, 2000);
  });

  it("lists and copies pets that another program has inserted, and never reuses their ids", async () => {
    const { pets, archive } = await open();
    const { pet } = await pets.create(PET);
    // More in a row than a create tries one by one.
    const foreign = [...Array.from({ length: 9 }, (_, n) => pet.id + BigInt(n + 1)), pet.id + 5000n];
    const tom = { name: "Tom", categoryId: new Int32(7), status: "sold" };
    await insert(foreign.map((id) => ({ _id: new Int32(Number(id)), ...tom })));
    const stored = foreign.map((id) => ({ id, name: "Tom", categoryId: 7n, status: "sold" }));
    expect(await pets.list(ALL)).to.deep.equal([pet, ...stored]);
    const archived = await archive.readPets({ after: pet.id, limit: 99 });
    expect(archived.map((entry) => entry.pet)).to.deep.equal(stored);
    const record = (n: number) => (n % 2 ? { key: `key ${n}`, fingerprint: "fingerprint" } : undefined);
    const created = [await pets.create(PET)];
    created.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => pets.create(PET, record(n))))));
    const ids = [pet.id, ...foreign, ...created.map((creation) => creation.pet.id)];
    expect(new Set(ids).size).to.equal(32);
    expect((await pets.list(ALL)).map(({ id }) => id)).to.have.members(ids);
  });

  it("lists only pets with ids above 0, whatever else other programs inserted", async () => {
    const odd = [0n, -5n, -(2n ** 63n), "text", new BSON.ObjectId(), null];
    const ids = [3n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    await insert([...odd, ...ids].map((_id) => ({ _id, ...PET })));
    const { pets, archive } = await open();
    for (const status of [undefined, PET.status])
      for (const limit of [1, 4, 99]) {
        const page = await pets.list({ status, after: 0n, limit });
        expect(page).to.deep.equal(ids.slice(0, limit).map((id) => ({ id, ...PET })));
      }
    expect(await archive.readPets({ after: 0n, limit: 99 })).to.have.length(4);
  });

  it("refuses a database with the unique index of 2.0.0, and says how to drop it", async () => {
    const name = "pets_by_idempotency_key";
    await createIndex({ "idempotency.key": 1 }, { name, unique: true });
    for (const mayMake of [true, false])
      expect(await messageOf(open(url, { mayMake }))).to.include(`db.pets.dropIndex("${name}")`);
    await database((db) => db.collection("pets").dropIndex(name));
    await (await open()).pets.create(PET);
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("happens once if many processes start at once", async () => {
    await Promise.all(Array.from({ length: 8 }, () => open()));
    const created = await Promise.all(opened.map(({ pets }) => pets.create(PET)));
    expect(new Set(created.map(({ pet }) => pet.id)).size).to.equal(8);
    expect(await indexes()).to.deep.equal(INDEXES);
    expect(await validator()).to.have.property("$jsonSchema");
  });

  it("lets the server refuse malformed documents of other programs", async () => {
    await open();
    for (const members of [
      { name: 5 },
      { status: "bought" },
      { categoryId: 1.5 },
      { _id: 0n },
      { idempotency: {} },
    ])
      expect(await messageOf(insert([{ _id: 1n, ...PET, ...members }]))).to.match(/failed validation/i);
  });

  it("keeps an operator's stricter validator, says so, and blames it for a pet that it rejects", async () => {
    const stricter = { $jsonSchema: { required: ["name"], properties: { name: { maxLength: 10 } } } };
    await database(async (db) => {
      await db.createCollection("pets");
      await db.command({ collMod: "pets", validator: stricter });
    });
    const { log, lines } = captureLog();
    const { pets, archive } = await open(url, { log });
    await pets.create(PET);
    expect(lines.map(({ msg }) => msg).join()).to.include("validator");
    const long = { pet: { ...PET, id: 5000n, name: "x".repeat(11) }, record: undefined };
    expect(await messageOf(archive.storePets([long]))).to.include("validator");
    expect(await validator()).to.deep.equal(stricter);
  });

  it("needs no right to change an existing schema, and none to change the validator", async () => {
    const proxy = await MongodbProxy.start(url);
    const denied: [code: number, commands: string[]][] = [
      [13, ["collMod"]],
      [8000, ["create", "createIndexes", "collMod"]],
    ];
    for (const [code, commands] of denied) {
      const refusal = { ok: 0, code, errmsg: "not authorized" };
      proxy.trouble = { answer: (_, name) => (commands.includes(name) ? refusal : undefined) };
      await (await open(proxy.urlOf(url))).pets.create(PET);
    }
    expect(await indexes()).to.have.deep.members(INDEXES);
    for (const storage of opened.splice(0)) await storage.close();
    await proxy.stop();
  });

  it("is not repeated when the service connects again", async () => {
    const proxy = await MongodbProxy.start(url);
    const { ping } = await open(proxy.urlOf(url));
    await proxy.kill();
    expect(await codeOf(ping())).to.equal("storage_unavailable");
    await proxy.revive();
    proxy.commands.length = 0;
    await ping();
    expect(proxy.commands.filter((command) => "listCollections" in command)).to.deep.equal([]);
    for (const storage of opened.splice(0)) await storage.close();
    await proxy.stop();
  });

  it("is unavailable while another index has the name, says so, and recovers once it is dropped", async () => {
    const name = "pets_by_status";
    await createIndex({ name: 1 }, { name });
    const { ping } = await open();
    const error = await ping().catch((error) => error);
    expect(error).to.include({ code: "storage_unavailable" });
    expect(error.cause.message).to.include(name);
    await database((db) => db.collection("pets").dropIndex(name));
    await ping();
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("reads an existing database without changing it if it may not, and refuses a missing one", async () => {
    expect(await messageOf(open(url, { mayMake: false }))).to.include("no collection pets");
    await insert([{ _id: 1n, ...PET }]);
    const { pets } = await open(url, { mayMake: false });
    expect((await pets.get(1n))?.name).to.equal("Rex");
    expect(await indexes()).to.deep.equal([INDEXES[0]]);
    expect(await database((db) => db.listCollections().toArray())).to.have.length(1);
  });
});
