import { expect } from "chai";
import { withDatabase } from "../../support/mongodb-server.js";
import type { MongodbStorage } from "../../support/open-storages.js";
import { describeBehindProxy } from "./behind-proxy.js";

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;
const TOM = { ...REX, name: "Tom" };

describeBehindProxy("A create that MongoDB rejects after it claimed its key", ({ url, proxy, open }) => {
  let storage: MongodbStorage;
  beforeEach(async () => {
    storage = await open();
  });

  async function createRex(): Promise<Error> {
    const record = { key: "key", fingerprint: "of Rex" };
    const error = await storage.pets.create(REX, record).catch((error) => error);
    expect(error).to.include({ code: "storage_unavailable" });
    proxy().trouble = {};
    return error.cause;
  }
  /** Creates the other pet under the same key, and resolves to the name of the pet that then owns the key. */
  async function createTom(): Promise<string> {
    return (await storage.pets.create(TOM, { key: "key", fingerprint: "of Tom" })).pet.name;
  }
  function rejectWith(code: number): void {
    const answer = { ok: 0, code, errmsg: "rejected" };
    proxy().trouble = { answer: ({ insert }) => (insert === "pets" ? answer : undefined) };
  }

  it("leaves the key free for a corrected body, and the cause names the validator", async () => {
    const validator = { $jsonSchema: { properties: { name: { enum: ["Tom"] } } } };
    await withDatabase(url, (db) => db.command({ collMod: "pets", validator }));
    expect((await createRex()).message).to.include("validator of the collection pets");
    expect(await createTom()).to.equal("Tom");
  });

  it("leaves the key free if another unique index is the reason, which the cause names without values", async () => {
    await withDatabase(url, (db) => db.collection("pets").createIndex({ name: 1 }, { unique: true }));
    await storage.pets.create(REX);
    expect((await createRex()).message)
      .to.include("unique index")
      .and.not.include("Rex");
    expect(await createTom()).to.equal("Tom");
  });

  for (const code of [13, 8000, 14_031]) {
    it(`leaves the key free if the server certainly stored nothing (code ${code})`, async () => {
      rejectWith(code);
      await createRex();
      expect(await createTom()).to.equal("Tom");
    });
  }

  it("keeps the claim if a router cannot say whether the pet is stored", async () => {
    rejectWith(6);
    await createRex();
    expect(await createTom()).to.equal("Rex");
  });

  it("keeps the claim of another create", async () => {
    const claim = { _id: "key", fingerprint: "of Rex", pet: { _id: 900n, ...REX } };
    await withDatabase(url, (db) => db.collection<typeof claim>("pets_keys").insertOne(claim));
    rejectWith(121);
    await createRex();
    expect(await createTom()).to.equal("Rex");
  });
});
