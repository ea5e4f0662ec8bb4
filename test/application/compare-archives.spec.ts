import { expect } from "chai";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CompareArchives } from "../../src/application/compare-archives.js";
import type { ArchivedPet } from "../../src/application/ports/pet-archive.js";
import { archiveOf, catalogueOf, fill } from "../support/catalogues.js";

async function compare(source: readonly ArchivedPet[], target: readonly ArchivedPet[]) {
  const archives = [
    await fill(new MemoryPetRepository(), source),
    await fill(new MemoryPetRepository(), target),
  ] as const;
  for (const archive of archives) {
    const write = () => Promise.reject(new Error("a comparison writes nothing"));
    Object.assign(archive, { storePets: write, raiseIds: write });
  }
  return new CompareArchives([[archiveOf(archives[0]), archiveOf(archives[1])]], () => {}).execute();
}

const SAME = { missing: 0, different: 0, late: 0, idsBehind: false };

describe("CompareArchives", () => {
  const pets = catalogueOf(Array.from({ length: 2100 }, (_, n) => n + 1));

  it("finds two catalogues equal", async () => {
    for (const length of [0, 1, 999, 1000, 1001, 2000, 2100]) {
      const some = pets.slice(0, length);
      expect(await compare(some, some)).to.include({ ...SAME, verified: length });
    }
  });

  it("counts pets that only the source has, and names the first", async () => {
    const found = await compare(pets, [...pets.slice(0, 1200), ...pets.slice(1203)]);
    expect(found).to.include({ ...SAME, verified: 2097, missing: 3 });
    expect(found.firstMissing).to.deep.equal({ name: "pet", id: 1201n });
  });

  it("names ten of the pets that differ or that only the target has, and counts the rest", async () => {
    const other = { ...pets[6], pet: { ...pets[6]?.pet, name: "other" } } as ArchivedPet;
    const found = await compare(pets.slice(6, 7), [...pets.slice(0, 6), other, ...pets.slice(7, 30)]);
    expect(found).to.include({ verified: 0, different: 30 });
    const ids = found.differences.map(({ id, in: where }) => `${id} ${where}`);
    expect(ids.slice(5)).to.deep.equal(["6 target", "7 name", "8 target", "9 target", "10 target"]);
  });

  it("counts pets that appear in the source behind the comparison, though the target has others", async () => {
    const source = await fill(new MemoryPetRepository(), pets.slice(2, 4));
    const target = await fill(new MemoryPetRepository(), [...pets.slice(0, 1), ...pets.slice(2, 4)]);
    const { readPets } = source;
    let reads = 0;
    source.readPets = async (range) => {
      const page = await readPets.call(source, range);
      if (++reads === 1) await source.storePets([...pets.slice(1, 2), ...pets.slice(9, 10)]);
      return page;
    };
    const compare = new CompareArchives([[archiveOf(source), archiveOf(target)]], () => {});
    expect(await compare.execute()).to.include({ ...SAME, verified: 2, different: 1, late: 2 });
  });

  it("reports that the target could assign an id which the source has assigned", async () => {
    expect(await compare(pets, pets.slice(0, 2099))).to.include({ idsBehind: true, missing: 1 });
  });
});
