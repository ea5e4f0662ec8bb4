import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CreatePet } from "../../src/application/create-pet.js";
import { ListPets } from "../../src/application/list-pets.js";
import { codeOf } from "../support/code-of.js";

describe("CreatePet", () => {
  let repository: MemoryPetRepository;
  let createPet: CreatePet;

  beforeEach(() => {
    repository = new MemoryPetRepository();
    createPet = new CreatePet(repository);
  });

  const stored = async () => (await new ListPets(repository).execute({ limit: 100 })).items;

  it("stores the pet with the default status and answers it with its id", async () => {
    const { pet, replayed } = await createPet.execute({ name: "Rex", categoryId: 7n });
    expect(pet).to.deep.equal({ id: 1n, name: "Rex", categoryId: 7n, status: "available" });
    expect(replayed).to.equal(false);
    expect(await stored()).to.deep.equal([pet]);
  });

  it("refuses a pet that breaks a rule, and stores nothing", async () => {
    for (const draft of [
      { name: "", categoryId: 7n },
      { name: "Rex", categoryId: 2n ** 63n },
      { name: "Rex", categoryId: 7n, status: "lost" as "sold" },
    ]) {
      expect(await codeOf(createPet.execute(draft))).to.equal("invalid_field");
    }
    expect(await stored()).to.deep.equal([]);
  });

  describe("with an idempotency record", () => {
    const record = { key: "key", fingerprint: "fingerprint" };
    const draft = { name: "Rex", categoryId: 7n };

    it("stores the pet once, and answers a repeated create as a replay", async () => {
      const first = await createPet.execute(draft, record);
      expect(first.replayed).to.equal(false);
      const again = await createPet.execute(draft, { ...record });
      expect(again).to.deep.equal({ pet: first.pet, replayed: true });
      expect(await stored()).to.deep.equal([first.pet]);
    });

    it("refuses the key for another request, and stores nothing", async () => {
      const { pet } = await createPet.execute(draft, record);
      const reused = createPet.execute({ ...draft, name: "Tom" }, { key: "key", fingerprint: "another" });
      expect(await codeOf(reused)).to.equal("idempotency_key_reused");
      expect(await stored()).to.deep.equal([pet]);
    });

    it("leaves the key free if it refuses the create", async () => {
      expect(await codeOf(createPet.execute({ ...draft, name: "" }, record))).to.equal("invalid_field");
      expect((await createPet.execute(draft, record)).replayed).to.equal(false);
    });
  });
});
