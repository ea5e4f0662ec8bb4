import { expect } from "chai";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET = { name: "Rex", categoryId: 7n, status: "available" } as const;
const RECORD = { key: "key", fingerprint: "of Rex" };
const CORRECTED = { ...PET, name: "Tom" };

describeWithMongodb("A create that MongoDB rejects after it claimed its key", (url) => {
  let proxy: MongodbProxy;
  let storage: MongodbStorage;

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    storage = await openMongodb(proxy.urlOf(url));
  });
  afterEach(async () => {
    await storage.close();
    await proxy.stop();
  });

  const rejection = () => storage.pets.create(PET, RECORD).catch((error) => error);
  const createCorrected = () => storage.pets.create(CORRECTED, { ...RECORD, fingerprint: "of Tom" });
  const rejectWith = (code: number) => {
    const answer = { ok: 0, code, errmsg: "rejected" };
    proxy.trouble = { answer: ({ insert }) => (insert === "pets" ? answer : undefined) };
  };

  it("leaves the key free for a corrected body, and names a stricter validator", async () => {
    const validator = { $jsonSchema: { properties: { name: { enum: ["Tom"] } } } };
    await withDatabase(url, (db) => db.command({ collMod: "pets", validator }));
    const error = await rejection();
    expect(error).to.include({ code: "storage_unavailable" });
    expect(error.cause.message).to.include("validator of the collection pets");
    const { pet, earlierFingerprint } = await createCorrected();
    expect([pet.name, earlierFingerprint]).to.deep.equal(["Tom", undefined]);
  });

  it("leaves the key free if another unique index is the reason, which it names without values", async () => {
    await withDatabase(url, (db) => db.collection("pets").createIndex({ name: 1 }, { unique: true }));
    await storage.pets.create(PET);
    const error = await rejection();
    expect(error.cause.message).to.include("unique index").and.not.include("Rex");
    expect(await createCorrected()).to.deep.include({ earlierFingerprint: undefined });
  });

  for (const code of [13, 8000, 14_031]) {
    it(`leaves the key free if the server stored nothing for certain (code ${code})`, async () => {
      rejectWith(code);
      expect(await rejection()).to.include({ code: "storage_unavailable" });
      proxy.trouble = {};
      expect(await createCorrected()).to.deep.include({ earlierFingerprint: undefined });
    });
  }

  it("keeps the claim if a router cannot say whether the pet was stored", async () => {
    rejectWith(6);
    expect(await rejection()).to.include({ code: "storage_unavailable" });
    proxy.trouble = {};
    const { pet, earlierFingerprint } = await createCorrected();
    expect([pet.name, earlierFingerprint]).to.deep.equal(["Rex", "of Rex"]);
  });

  it("keeps the claim of another create", async () => {
    const claim = { _id: "key", fingerprint: "of Rex", pet: { _id: 900n, ...PET } };
    await withDatabase(url, (db) => db.collection<typeof claim>("pets_keys").insertOne(claim));
    rejectWith(121);
    expect(await rejection()).to.include({ code: "storage_unavailable" });
    proxy.trouble = {};
    expect((await createCorrected()).pet).to.include({ id: 900n });
  });
});
