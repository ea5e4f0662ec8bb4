import { expect } from "chai";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { refuseUnfinished } from "../../../src/application/guards/refuse-unfinished.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import { codeOf } from "../../support/code-of.js";

describe("refuseUnfinished", () => {
  const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;

  /** A storage that is away until the test says otherwise. */
  class Leaving extends MemoryPetRepository {
    away = true;

    override async readMark(): Promise<string | undefined> {
      if (this.away) throw storageUnavailable(new Error("away"));
      return super.readMark();
    }
  }

  it("refuses a storage with an unfinished copy", async () => {
    const pets = new MemoryPetRepository();
    await pets.writeMark("unfinished copy 1");
    const error = await refuseUnfinished(pets).catch((error) => error);
    expect(error.message).to.match(/not finished.*petstore copy/);
  });

  it("accepts a storage without a mark, with another mark, or without the methods of an archive", async () => {
    const pets = new MemoryPetRepository();
    expect(await refuseUnfinished(pets)).to.equal(pets);
    await pets.writeMark("copy begins 1");
    expect(await refuseUnfinished(pets)).to.equal(pets);
    const noArchive = { create() {}, get() {}, list() {}, ping() {}, close() {} };
    expect(await refuseUnfinished(noArchive as never)).to.equal(noArchive);
  });

  it("keeps a storage that is away at the start from use until its copy is finished", async () => {
    const pets = new Leaving();
    await pets.writeMark("unfinished copy 1");
    const guarded = await refuseUnfinished(pets);
    const operations = [
      () => guarded.create(PET),
      () => guarded.get(1n),
      () => guarded.list({ status: undefined, after: 0n, limit: 1 }),
      () => guarded.ping(),
    ];
    for (const away of [true, false]) {
      pets.away = away;
      for (const operation of operations) expect(await codeOf(operation())).to.equal("storage_unavailable");
    }
    await pets.writeMark(undefined);
    for (const operation of operations) await operation();
    expect((await guarded.create(PET)).pet.id).to.equal(2n);
    await guarded.close();
  });
});
