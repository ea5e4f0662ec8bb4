import { expect } from "chai";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { readOnlyPets } from "../../../src/application/guards/read-only-pets.js";
import type { Creation } from "../../../src/application/ports/pet-repository.js";

const REX = { name: "Rex", categoryId: 1n, status: "available" } as const;

describe("readOnlyPets", () => {
  it("refuses only creates, with the reason, as long as the operator has turned them off", async () => {
    let wanted = false;
    const pets = readOnlyPets(new MemoryPetRepository(), () => wanted);
    expect((await pets.create(REX)).pet.id).to.equal(1n);
    wanted = true;
    const error = await pets.create(REX).catch((error) => error);
    expect(error).to.have.property("code", "storage_unavailable");
    expect(error.cause, "nothing for the log").to.equal(undefined);
    expect(error.message).to.match(
      /^The service is read-only for now, since its operator has turned creates off/,
    );
    expect(await pets.get(1n)).to.include(REX);
    expect(await pets.list({ status: undefined, after: 0n, limit: 9 })).to.have.length(1);
    await pets.ping();
    wanted = false;
    expect((await pets.create(REX)).pet.id).to.equal(2n);
  });

  it("is read-only once all creates that began before have ended, however they end", async () => {
    let wanted = false;
    let end: { resolve(creation: Creation): void; reject(error: Error): void } | undefined;
    class SlowPets extends MemoryPetRepository {
      override create(): Promise<Creation> {
        return new Promise((resolve, reject) => {
          end = { resolve, reject };
        });
      }
    }
    const pets = readOnlyPets(new SlowPets(), () => wanted);
    for (const finish of [
      () => end?.resolve({ pet: { ...REX, id: 1n }, replayed: undefined }),
      () => end?.reject(new Error("away")),
    ]) {
      wanted = false;
      const creation = pets.create(REX);
      expect(pets.isReadOnly()).to.equal(false);
      wanted = true;
      expect(pets.isReadOnly()).to.equal(false);
      finish();
      await creation.catch(() => undefined);
      expect(pets.isReadOnly()).to.equal(true);
    }
  });
});
