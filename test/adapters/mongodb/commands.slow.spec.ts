import { expect } from "chai";
import type { Document } from "mongodb";
import { type ArchivedPet, isPetConflict } from "../../../src/application/ports/pet-archive.js";
import { MongodbProxy } from "../../support/mongodb-proxy.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

/** Pets with these ids; every second one has a record. */
function archived(first: number, count: number): ArchivedPet[] {
  return Array.from({ length: count }, (_, n) => ({
    pet: { ...PET, id: BigInt(first + n) },
    record: n % 2 ? { key: `key ${first + n}`, fingerprint: "fingerprint" } : undefined,
  }));
}

describeWithMongodb("MongoDB commands", (url) => {
  let proxy: MongodbProxy;
  let storage: MongodbStorage;

  beforeEach(async () => {
    await dropDatabase(url);
    proxy = await MongodbProxy.start(url);
    storage = await openMongodb(proxy.urlOf(url));
    await storage.pets.create(PET);
  });
  afterEach(async () => {
    await storage.close();
    await proxy.stop();
  });

  const create = (key?: string) => storage.pets.create(PET, key ? { key, fingerprint: "f" } : undefined);
  const createAll = (count: number) => Promise.all(Array.from({ length: count }, () => create()));

  /** The commands that some work takes, without those of the driver's monitor. */
  async function commandsOf(work: () => Promise<unknown>): Promise<Document[]> {
    proxy.commands.length = 0;
    await work();
    return proxy.commands.filter((command) => !("hello" in command || "ismaster" in command));
  }
  const namesOf = async (work: () => Promise<unknown>) =>
    (await commandsOf(work)).map((command) => Object.entries(command)[0]?.join(" "));

  it("are as few as can be", async () => {
    const [insert, find] = ["insert pets", "find pets"];
    const [claim, readClaim] = ["insert pets_keys", "find pets_keys"];
    expect(await namesOf(() => create())).to.deep.equal([insert]);
    expect(await namesOf(() => create("key"))).to.deep.equal([claim, insert]);
    expect(await namesOf(() => create("key"))).to.deep.equal([claim, readClaim, insert, find]);
    expect(await namesOf(() => storage.pets.get(1n))).to.deep.equal([find]);
    expect(await namesOf(() => storage.ping())).to.deep.equal(["ping 1"]);
    await storage.archive.raiseIds(5000n);
    await createAll(150);
    const read = () => storage.archive.readPets({ after: 0n, limit: 1000 });
    expect(await namesOf(read)).to.deep.equal([find]);
    const store = (first: number) => () => storage.archive.storePets(archived(first, 1000));
    expect(await namesOf(store(2001))).to.deep.equal([find, claim, insert]);
    expect(await namesOf(store(2001))).to.deep.equal([find]);
  });

  for (const status of [undefined, "sold"] as const) {
    it(`are one range of an index for a list with ${status ?? "any"} status`, async () => {
      await createAll(120);
      const list = () => storage.pets.list({ status, after: 3n, limit: 101 });
      const [{ find, filter, sort, skip } = {}, ...more] = await commandsOf(list);
      expect({ find, filter, sort, skip, more }).to.deep.equal({
        ...{ find: "pets", filter: { ...(status && { status }), _id: { $gt: 3n } }, sort: { _id: 1 } },
        ...{ skip: undefined, more: [] },
      });
    });
  }

  it("reserve ids once in a thousand creates", async () => {
    const names = await namesOf(async () => {
      for (let n = 0; n < 20; n++) await createAll(50);
    });
    expect(names.filter((name) => name !== "insert pets")).to.deep.equal(["findAndModify counters"]);
  });

  describe("of a batch", () => {
    const one = { pet: { ...PET, id: 11n }, record: { key: "key", fingerprint: "fingerprint" } };
    const store = (...pets: ArchivedPet[]) => storage.archive.storePets(pets);
    const stored = async () =>
      (await storage.archive.readPets({ after: 1n, limit: 9 })).map(({ pet }) => pet.id);

    /** Claims the key of `one` as a create that died then. */
    beforeEach(() =>
      withDatabase(url, (db) =>
        db.collection<Document & { _id: unknown }>("pets_keys").insertOne({
          ...{ _id: "key", fingerprint: "of a create that died", pet: { ...PET, _id: 900n } },
        }),
      ),
    );

    it("store it once although an answer was lost", async () => {
      const batch = archived(101, 50);
      proxy.trouble = { cutBeforeAnswerTo: "insert pets" };
      expect((await store(...batch).catch((error) => error)).code).to.equal("storage_unavailable");
      await store(...batch);
      expect(await storage.archive.readPets({ after: 1n, limit: 99 })).to.deep.equal(batch);
    });

    it("take over the key of a create that died before it stored its pet", async () => {
      await store(one);
      const replay = { pet: one.pet, earlierFingerprint: "fingerprint" };
      expect(await create("key")).to.deep.equal(replay);
      expect(await stored()).to.deep.equal([11n]);
    });

    it("take it over for one pet alone, and not from a stored pet", async () => {
      const other = { ...one, pet: { ...one.pet, id: 12n } };
      expect(isPetConflict(await store(one, other).catch((error) => error))).to.equal(true);
      expect(await stored()).to.deep.equal([]);
      await create("key");
      const [kept] = await stored();
      expect(isPetConflict(await store(other).catch((error) => error))).to.equal(true);
      expect(await stored()).to.deep.equal([kept]);
    });
  });
});
