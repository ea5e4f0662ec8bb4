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

  const stored = async () => (await new ListPets(repository).execute({ limit: 100 })).pets;

  it("stores the pet with the default status and returns it with its id", async () => {
    const { pet, replayed } = await createPet.execute({ name: "Rex", categoryId: 7n });
    expect(pet).to.deep.equal({ id: 1n, name: "Rex", categoryId: 7n, status: "available" });
    expect(replayed).to.equal(false);
    expect(await stored()).to.deep.equal([pet]);
  });

  it("rejects a pet that breaks a rule, and stores nothing", async () => {
    for (const draft of [
      { name: "", categoryId: 7n },
      { name: "Rex", categoryId: 2n ** 63n },
      { name: "Rex", categoryId: 7n, status: "lost" as "sold" },
    ]) {
      expect(await codeOf(createPet.execute(draft))).to.equal("invalid_field");
    }
    expect(await stored()).to.deep.equal([]);
  });

  it("returns a retry as a replay, and rejects its key for another request", async () => {
    const draft = { name: "Rex", categoryId: 7n };
    const record = { key: "key", fingerprint: "fingerprint" };
    const { pet } = await createPet.execute(draft, record);
    expect(await createPet.execute(draft, { ...record })).to.deep.equal({ pet, replayed: true });
    const reused = createPet.execute(draft, { key: "key", fingerprint: "another" });
    expect(await codeOf(reused)).to.equal("idempotency_key_reused");
    expect(await stored()).to.deep.equal([pet]);
  });
});
