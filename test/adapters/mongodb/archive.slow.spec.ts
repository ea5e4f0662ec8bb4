import { expect } from "chai";
import type { Document } from "mongodb";
import { type ArchivedPet, isPetConflict } from "../../../src/application/ports/pet-archive.js";
import { withDatabase } from "../../support/mongodb-server.js";
import type { MongodbStorage } from "../../support/open-storages.js";
import { describeBehindProxy } from "./behind-proxy.js";

const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;
const ARCHIVED = { pet: { ...PET, id: 11n }, record: { key: "key", fingerprint: "fingerprint" } };
const SAME_KEY = { ...ARCHIVED, pet: { ...PET, id: 12n } };

describeBehindProxy("The archive of a MongoDB storage", ({ url, proxy, open }) => {
  let storage: MongodbStorage;

  /** Opens a database in which a create claimed the key of `ARCHIVED`, and died before it stored its pet. */
  beforeEach(async () => {
    storage = await open();
    const claim = { _id: "key", fingerprint: "of a create that died", pet: { ...PET, _id: 900n } };
    await withDatabase(url, (db) => db.collection<Document & { _id: string }>("pets_keys").insertOne(claim));
  });

  const store = (...pets: ArchivedPet[]) => storage.archive.storePets(pets);
  const stored = () => storage.archive.readPets({ after: 0n, limit: 1000 });
  const create = () => storage.pets.create(PET, { key: "key", fingerprint: "f" });

  /** Counts the commands of some work, without the driver's monitoring. */
  async function roundTrips(work: () => Promise<unknown>): Promise<number> {
    proxy().commands.length = 0;
    await work();
    return proxy().commands.filter((command) => !("hello" in command || "ismaster" in command)).length;
  }

  it("takes a few round trips for a batch, and creates and reads take as few as they can", async () => {
    const { pets, archive } = storage;
    const batch = Array.from({ length: 1000 }, (_, n) => ({
      pet: { ...PET, id: BigInt(101 + n) },
      record: n % 2 ? { key: `key ${n}`, fingerprint: "fingerprint" } : undefined,
    }));
    await archive.raiseIds(5000n);
    await pets.create(PET);
    expect(await roundTrips(() => store(...batch))).to.be.at.most(3);
    expect(await roundTrips(stored)).to.equal(1);
    expect(await roundTrips(() => pets.create(PET))).to.equal(1);
    expect(await roundTrips(() => pets.create(PET, { key: "new", fingerprint: "f" }))).to.equal(2);
    expect(await roundTrips(() => pets.get(101n))).to.equal(1);
    for (const status of [undefined, "sold"] as const)
      expect(await roundTrips(() => pets.list({ status, after: 0n, limit: 101 }))).to.equal(1);
  });

  it("takes over the key of a create that died before it stored its pet", async () => {
    await store(ARCHIVED);
    expect(await create()).to.deep.equal({ pet: ARCHIVED.pet, earlierFingerprint: "fingerprint" });
    expect(await stored()).to.deep.equal([ARCHIVED]);
  });

  it("takes over a key for a single pet, and not from a stored pet", async () => {
    expect(await store(ARCHIVED, SAME_KEY).catch(isPetConflict)).to.equal(true);
    expect(await stored()).to.deep.equal([]);
    const { pet } = await create();
    expect(await store(SAME_KEY).catch(isPetConflict)).to.equal(true);
    expect((await stored()).map((archived) => archived.pet)).to.deep.equal([pet]);
  });
});
