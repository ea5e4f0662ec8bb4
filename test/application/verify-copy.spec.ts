import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { VerifyCopy } from "../../src/application/verify-copy.js";
import { catalogueOf, fill } from "../support/catalogues.js";

const NOBODY = () => {};

async function verify(source: Iterable<number>, target: Iterable<number>) {
  const one = await fill(new MemoryPetRepository(), catalogueOf(source));
  const other = await fill(new MemoryPetRepository(), catalogueOf(target));
  return new VerifyCopy(one, other, NOBODY).execute();
}

const EQUAL = {
  missing: 0,
  firstMissing: undefined,
  different: 0,
  differences: [],
  since: 0,
  idsBehind: false,
};

describe("VerifyCopy", () => {
  it("finds two catalogues equal", async () => {
    const ids = Array.from({ length: 2100 }, (_, n) => n + 1);
    expect(await verify(ids, ids)).to.deep.equal({ ...EQUAL, verified: 2100, onBoth: 2100 });
  });

  it("names pets that only one side has", async () => {
    const found = await verify([1, 2, 5], [1, 2, 3, 5]);
    // A pet's category and record follow from its place in the catalogue.
    const differences = [
      { id: 3n, in: "target" },
      { id: 5n, in: "categoryId" },
    ];
    expect(found).to.deep.include({ onBoth: 3, differences });
    const lacking = { ...EQUAL, missing: 1, firstMissing: 3n, idsBehind: true };
    expect(await verify([1, 2, 3], [1, 2])).to.deep.equal({ ...lacking, verified: 2, onBoth: 2 });
  });

  it("names ten differences and counts the rest", async () => {
    const ids = Array.from({ length: 30 }, (_, n) => n + 1);
    const found = await verify([], ids);
    expect(found.different).to.equal(30);
    expect(found.differences).to.have.lengthOf(10);
  });

  it("reports a target that may give ids of the source again", async () => {
    const source = new MemoryPetRepository();
    await source.raiseIds(5n);
    const found = await new VerifyCopy(source, new MemoryPetRepository(), NOBODY).execute();
    expect(found).to.deep.equal({ ...EQUAL, verified: 0, onBoth: 0, idsBehind: true });
  });
});
