import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CopyArchives } from "../../src/application/copy-archives.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { allOf, archiveOf, catalogueOf, catalogues, fill } from "../support/catalogues.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

type Memory = MemoryPetRepository;
const memory = (pets: readonly ArchivedPet[] = []) => fill(new MemoryPetRepository(), pets);
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

function copy(source: Memory, target: Memory, mayWrite = true) {
  return new CopyArchives([[archiveOf(source), archiveOf(target)]], mayWrite, () => {}).execute();
}

describe("CopyArchives", () => {
  it("completes any part of any catalogue exactly, and finds nothing to do the second time", async () => {
    const part = fc.infiniteStream(fc.boolean());
    const gone = fc.bigInt({ min: 0n, max: 1000n });
    await fc.assert(
      fc.asyncProperty(catalogues, part, gone, async (pets, part, gone) => {
        const [source, target] = [await memory(pets), await memory(pets.filter(() => part.next().value))];
        // Ids of pets that are gone.
        await source.raiseIds((await source.highestId()) + gone);
        const present = await target.countPets();
        const done = { verified: pets.length, meanwhile: 0, faults: [] };
        expect(await copy(source, target)).to.deep.equal({ copied: pets.length - present, present, ...done });
        expect(await allOf(target)).to.deep.equal(pets);
        expect(await target.highestId()).to.equal(await source.highestId());
        expect(await copy(source, target)).to.deep.equal({ copied: 0, present: pets.length, ...done });
      }),
      { numRuns: 50 },
    );
  });

  it("raises the target's ids before the first pet is stored, and once more at the end", async () => {
    const [source, target] = [await memory(catalogueOf([3, 4])), await memory()];
    await source.raiseIds(70n);
    const { storePets } = target;
    target.storePets = async (pets) => {
      expect(await target.highestId()).to.equal(70n);
      await source.create(REX);
      return storePets.call(target, pets);
    };
    const report = { copied: 2, present: 0, verified: 2, meanwhile: 1, faults: [] };
    expect(await copy(source, target)).to.deep.equal(report);
    expect((await target.create(REX)).pet.id).to.equal(72n);
  });

  it("counts what the target lacks, wherever pets appear meanwhile and whatever the source's count is", async () => {
    const pets = catalogueOf(upTo(2100).map((n) => 10 * n));
    for (const lie of [-1, 0, 1]) {
      // The last walk cannot see what is stored where it has passed.
      for (let [read, beforeLastWalk] = [1, 2]; read <= beforeLastWalk; read++) {
        const [source, target] = [await memory(pets), await memory(pets.slice(0, 1000))];
        const { countPets, readPets } = source;
        let reads = 0;
        source.countPets = async () => (await countPets.call(source)) + 7 * lie * reads;
        source.readPets = async (range) => {
          const page = await readPets.call(source, range);
          // One pet that the walk has passed, and one ahead of it.
          if (++reads === read) await source.storePets(catalogueOf([1, 1_000_000]));
          return page;
        };
        const { meanwhile, faults } = await copy(source, target);
        beforeLastWalk = reads - 3;
        const lacking = (await allOf(source)).length - (await allOf(target)).length;
        expect({ meanwhile, faults }).to.deep.equal({ meanwhile: lacking, faults: [] });
        expect(await copy(source, target)).to.include({ verified: 2102, meanwhile: 0 });
      }
    }
  });

  const stateOf = async (archive: PetArchive) => [await allOf(archive), await archive.highestId()];
  const pets = catalogueOf(upTo(2500).map((n) => 2 * n));
  const some = pets[1501] as ArchivedPet;
  const { pet, record } = some;
  const DIFFERENT: Record<string, ArchivedPet> = {
    "TO, below": { ...some, pet: { ...pet, id: 1n } },
    "TO, between": { ...some, pet: { ...pet, id: 2501n } },
    "TO, above": { ...some, pet: { ...pet, id: 5001n } },
    name: { ...some, pet: { ...pet, name: pet.name.toUpperCase() } },
    categoryId: { ...some, pet: { ...pet, categoryId: -1n } },
    status: { ...some, pet: { ...pet, status: pet.status === "sold" ? "pending" : "sold" } },
    record: { pet, record: undefined },
    "record, key": { pet, record: { key: "another", fingerprint: record?.fingerprint ?? "" } },
    "record, fingerprint": { pet, record: { key: record?.key ?? "", fingerprint: "another" } },
  };
  for (const [what, different] of Object.entries(DIFFERENT)) {
    it(`refuses a target with a pet that differs in its ${what}, and changes nothing`, async () => {
      const [source, target] = [await memory(pets), await memory([different])];
      await fill(target, pets.slice(0, 1000));
      const before = [await stateOf(source), await stateOf(target)];
      const { message } = await copy(source, target).catch((error) => error);
      expect(message)
        .to.include(`pet ${different.pet.id} `)
        .and.include(` ${what.split(",")[0]} `.trimEnd());
      expect([await stateOf(source), await stateOf(target)]).to.deep.equal(before);
    });
  }

  it("finds a pet that the target lost though it confirmed it", async () => {
    const target = await memory();
    const { storePets } = target;
    const isKept = ({ pet }: ArchivedPet) => pet.id !== 3n;
    target.storePets = (pets) => storePets.call(target, pets.filter(isKept));
    const { faults, ...counts } = await copy(await memory(catalogueOf([1, 2, 3, 4])), target);
    expect(counts).to.deep.equal({ copied: 4, present: 0, verified: 3, meanwhile: 0 });
    expect(faults).to.have.length(1);
    expect(faults[0]).to.include("pet 3");
  });

  describe("that may not write", () => {
    const compare = (source: Memory, target: Memory) => {
      const write = () => Promise.reject(new Error("a comparison writes nothing"));
      for (const archive of [source, target]) Object.assign(archive, { storePets: write, raiseIds: write });
      return copy(source, target, false);
    };
    const equal = (count: number) => ({ copied: 0, present: count, verified: count, meanwhile: 0 });
    const pets = catalogueOf(upTo(2100));

    it("finds two catalogues equal", async () => {
      for (const length of [0, 1, 999, 1000, 1001, 2000, 2100]) {
        const some = pets.slice(0, length);
        const report = await compare(await memory(some), await memory(some));
        expect(report).to.deep.equal({ ...equal(length), faults: [] });
      }
    });

    it("names the first pet that the target lacks, and ids that it could reuse", async () => {
      const target = await memory([...pets.slice(0, 1200), ...pets.slice(1203, 2099)]);
      const { faults, ...counts } = await compare(await memory(pets), target);
      expect(counts).to.deep.equal(equal(2096));
      expect(faults).to.have.length(2);
      expect(faults[0]).to.include(" 4 ").and.include("pet 1201");
      expect(faults[1]).to.include("ids");
    });

    it("names ten of the pets that differ or that only the target has, and counts the rest", async () => {
      const renamed = { ...pets[6], pet: { ...pets[6]?.pet, name: "other" } } as ArchivedPet;
      const target = await memory([...pets.slice(0, 6), renamed, ...pets.slice(7, 30)]);
      const { faults, ...counts } = await compare(await memory(pets.slice(6, 7)), target);
      expect(counts).to.deep.equal(equal(0));
      expect(faults).to.have.length(11);
      for (const [n, word] of [
        [5, "TO"],
        [6, "name"],
        [9, "pet 10"],
        [10, "20 more"],
      ] as const) {
        expect(faults[n]).to.include(word);
      }
    });
  });
});
