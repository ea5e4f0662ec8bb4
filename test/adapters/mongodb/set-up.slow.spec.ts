import { expect } from "chai";
import { BSON, type CollectionInfo, type Db, type Document, Int32 } from "mongodb";
import { messageOf } from "../../support/code-of.js";
import { withDatabase } from "../../support/mongodb-server.js";
import { describeBehindProxy } from "./behind-proxy.js";

const PET = { name: "Rex", categoryId: 7n, status: "available" } as const;
const RECORD = { key: "key", fingerprint: "f" };
const ALL = { status: undefined, after: 0n, limit: 99 };

type Stored = Document & { readonly _id: unknown };

const INDEXES = [
  { key: { _id: 1 }, unique: false },
  { key: { status: 1, _id: 1 }, unique: false },
];

const creation = new BSON.ObjectId();
const TURTLE = { _id: 1n, name: "Żółw 🐢", categoryId: -(2n ** 63n), status: "available", creation };
const REX = { _id: 2n, name: "Rex", categoryId: 7n, status: "sold", creation };

/** A database as 3.0.0 to 4.1.0 write it: three of five created pets, and the claim of a create that died. */
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

describeBehindProxy("The set-up of a MongoDB database", ({ url, proxy, open }) => {
  const database = <Result>(use: (db: Db) => Promise<Result>) => withDatabase(url, use);
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
    expect(await archive.highestId()).to.equal(1000n);
    const [, archived] = await archive.readPets({ after: 0n, limit: 9 });
    expect(archived?.record).to.deep.equal({ key: "key 2", fingerprint: "fingerprint 2" });
    const replayed = await pets.create(PET, { key: "key 2", fingerprint: "other" });
    expect(replayed).to.deep.equal({ pet: second, earlierFingerprint: "fingerprint 2" });
    const finished = await pets.create(PET, { key: "key 4", fingerprint: "fingerprint 4" });
    expect(finished.pet).to.include({ id: 4n, name: "died" });
    expect(Number((await pets.create(PET)).pet.id)).to.be.within(1001, 2000);
  });

  it("stores the documents that 3.0.0 to 4.1.0 store", async () => {
    const { pets } = await open();
    await pets.create(PET, RECORD);
    const documents = await database(async (db) => [
      ...(await db.collection("pets").find().toArray()),
      ...(await db.collection("pets_keys").find().toArray()),
      ...(await db.collection("counters").find().toArray()),
    ]);
    expect(documents.map((document) => Object.entries(document))).to.deep.equal([
      Object.entries({ _id: 1n, ...PET, idempotency: RECORD, creation: documents[0]?.creation }),
      Object.entries({ _id: "key", fingerprint: "f", pet: { _id: 1n, ...PET } }),
      Object.entries({ _id: "pets", next: 1001n }),
    ]);
  });

  it("never reuses the ids of pets that another program has inserted", async () => {
    const { pets } = await open();
    const { pet } = await pets.create(PET);
    // More consecutive ids than a create tries one by one.
    const foreign = [...Array.from({ length: 9 }, (_, n) => pet.id + BigInt(n + 1)), pet.id + 5000n];
    await insert(foreign.map((id) => ({ ...PET, _id: new Int32(Number(id)), categoryId: new Int32(7) })));
    expect(await pets.list(ALL)).to.deep.equal([pet.id, ...foreign].map((id) => ({ ...PET, id })));
    const record = (n: number) => (n % 2 ? { key: `key ${n}`, fingerprint: "fingerprint" } : undefined);
    const created = await Promise.all(Array.from({ length: 21 }, (_, n) => pets.create(PET, record(n))));
    await insert([{ _id: "died", fingerprint: "f", pet: { ...PET, _id: foreign[0] } }], "pets_keys");
    const repeat = await pets.create(PET, { key: "died", fingerprint: "other" });
    expect(repeat.earlierFingerprint).to.equal("f");
    const ids = [pet, ...created.map((creation) => creation.pet), repeat.pet].map(({ id }) => id);
    ids.push(...foreign);
    expect(new Set(ids).size).to.equal(33);
    expect((await pets.list(ALL)).map(({ id }) => id)).to.have.members(ids);
  });

  it("lists int64 exactly, and only pets with ids above 0, whatever else another program inserted", async () => {
    const ids = [3n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    const wanted = ids.map((id) => ({ ...PET, id, categoryId: -id }));
    await insert(wanted.map(({ id, ...members }) => ({ ...members, _id: id })));
    await insert([0n, -5n, true, "text"].map((odd) => ({ ...PET, name: "odd", _id: odd })));
    const { pets, archive } = await open("", { mayMake: false });
    for (const status of [undefined, PET.status])
      expect(await pets.list({ status, after: 0n, limit: 9 })).to.deep.equal(wanted);
    expect((await archive.readPets(ALL)).map(({ pet }) => pet)).to.deep.equal(wanted);
  });

  it("refuses a database with the unique index of 2.0.0, and says how to drop it", async () => {
    const name = "pets_by_idempotency_key";
    const index = [{ key: { "idempotency.key": 1 }, name, unique: true }] as const;
    await database((db) => db.collection("pets").createIndexes([...index]));
    for (const mayMake of [true, false])
      expect(await messageOf(open("", { mayMake }))).to.include(`db.pets.dropIndex("${name}")`);
    await database((db) => db.collection("pets").dropIndex(name));
    await (await open()).pets.create(PET);
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("happens once if many processes start at once", async () => {
    const storages = await Promise.all(Array.from({ length: 8 }, () => open()));
    const created = await Promise.all(storages.map(({ pets }) => pets.create(PET)));
    expect(new Set(created.map(({ pet }) => pet.id)).size).to.equal(8);
    expect(await indexes()).to.deep.equal(INDEXES);
  });

  it("lets the server refuse malformed documents of other programs", async () => {
    await open();
    for (const members of [{ name: 5 }, { status: "bought" }, { categoryId: 1.5 }, { _id: 0n }])
      expect(await messageOf(insert([{ _id: 1n, ...PET, ...members }]))).to.match(/failed validation/i);
  });

  it("keeps an operator's stricter validator, and blames it for a pet that it rejects", async () => {
    const stricter = { $jsonSchema: { properties: { name: { maxLength: 10 } } } };
    await database((db) => db.createCollection("pets"));
    await database((db) => db.command({ collMod: "pets", validator: stricter }));
    const { archive } = await open();
    const long = { pet: { ...PET, id: 5000n, name: "x".repeat(11) }, record: undefined };
    expect(await messageOf(archive.storePets([long]))).to.include("validator");
    expect(await validator()).to.deep.equal(stricter);
  });

  it("needs no right to change an existing schema, and none to change the validator", async () => {
    const denied: [code: number, commands: string[]][] = [
      [13, ["collMod"]],
      [8000, ["create", "createIndexes", "collMod"]],
    ];
    for (const [code, commands] of denied) {
      const refusal = { ok: 0, code, errmsg: "not authorized" };
      proxy().trouble = { answer: (_, name) => (commands.includes(name) ? refusal : undefined) };
      await (await open()).pets.create(PET);
    }
    expect(await indexes()).to.have.deep.members(INDEXES);
  });

  it("is not repeated when the service connects again", async () => {
    const { ping } = await open("&serverSelectionTimeoutMS=100");
    await proxy().kill();
    for (let failed = 0; failed < 3; failed++) expect(await messageOf(ping())).not.to.equal(undefined);
    await proxy().revive();
    proxy().commands.length = 0;
    await ping();
    expect(proxy().commands.filter((command) => "listCollections" in command)).to.deep.equal([]);
  });

  it("only reads an existing database if it may not change it, and refuses a missing one", async () => {
    expect(await messageOf(open("", { mayMake: false }))).to.include("no collection pets");
    await insert([{ _id: 1n, ...PET }]);
    const { pets } = await open("", { mayMake: false });
    expect((await pets.get(1n))?.name).to.equal("Rex");
    expect(await indexes()).to.deep.equal([INDEXES[0]]);
    expect(await database((db) => db.listCollections().toArray())).to.have.length(1);
  });
});
