import { expect } from "chai";
import { type Document, Double } from "mongodb";
import type { NewPet, Pet } from "../../../src/domain/pet.js";
import { describeWithMongodb, dropDatabase, withDatabase } from "../../support/mongodb-server.js";
import { type MongodbStorage, openMongodb } from "../../support/open-storages.js";

const PET: NewPet = { name: "Rex", categoryId: 7n, status: "available" };

describeWithMongodb("MongoDB ids", (url) => {
  const open = () => openMongodb(url);
  let storage: MongodbStorage;

  beforeEach(async () => {
    await dropDatabase(url);
    storage = await open();
  });

  afterEach(() => storage.close());

  async function listAll(): Promise<Pet[]> {
    const pets: Pet[] = [];
    for (;;) {
      const page = await storage.pets.list({ status: undefined, after: pets.at(-1)?.id ?? 0n, limit: 101 });
      pets.push(...page);
      if (page.length < 101) return pets;
    }
  }

  const setCounter = (next: unknown) =>
    withDatabase(url, (database) =>
      database.collection<Document>("counters").updateOne({ _id: "pets" as never }, { $set: { next } }),
    );

  const MEDDLING: Record<string, () => Promise<unknown>> = {
    "set back to 1": () => setCounter(1n),
    "set to a fraction": () => setCounter(1200.5),
    deleted: () => withDatabase(url, (database) => database.collection("counters").drop()),
  };
  for (const [what, meddle] of Object.entries(MEDDLING)) {
    it(`are not given twice if the counter is ${what} before a second block of ids`, async () => {
      for (let n = 0; n < 15; n++)
        await Promise.all(Array.from({ length: 100 }, () => storage.pets.create(PET)));
      await meddle();
      const other = await open();
      const both = [storage, other];
      const creations = await Promise.all(
        Array.from({ length: 64 }, (_, n) => (both[n % 2] as MongodbStorage).pets.create(PET)),
      );
      for (let n = 0; n < 6; n++)
        await Promise.all(Array.from({ length: 100 }, () => storage.pets.create(PET)));
      await other.close();
      const ids = creations.map(({ pet }) => pet.id);
      expect(new Set(ids).size).to.equal(64);
      for (const id of ids) expect(id > 1500n, `${id}`).to.equal(true);
      expect(await listAll()).to.have.length(1500 + 64 + 600);
    });
  }

  it("move past all pets there are at once, not block by block", async () => {
    await withDatabase(url, (database) =>
      database
        .collection<{ _id: bigint }>("pets")
        .insertMany(Array.from({ length: 12_000 }, (_, n) => ({ ...PET, _id: BigInt(n + 1) }))),
    );
    expect((await storage.pets.create(PET)).pet.id).to.equal(12_001n);
  });

  it("move past ids that another program stored, of any numeric type", async () => {
    const { pet } = await storage.pets.create(PET);
    await withDatabase(url, async (database) => {
      const foreign = [new Double(2), 3, 4n, new Double(5.5)].map((_id) => ({ ...PET, _id }) as Document);
      await database.collection("pets").insertMany(foreign, { bypassDocumentValidation: true });
    });
    expect(pet.id).to.equal(1n);
    expect((await storage.pets.create(PET)).pet.id).to.equal(1001n);
  });
});
