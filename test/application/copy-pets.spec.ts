import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CopyPets } from "../../src/application/copy-pets.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { allOf, catalogueOf, fill } from "../support/catalogues.js";

const memory = (pets: readonly ArchivedPet[] = []) => fill(new MemoryPetRepository(), pets);
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
const stateOf = async (archive: PetArchive) => [await allOf(archive), await archive.highestId()];

function copy(source: PetArchive, target: PetArchive) {
  return new CopyPets(source, target, true, () => {}).execute();
}

function verify(source: PetArchive, target: PetArchive) {
  const write = () => Promise.reject(new Error("a comparison writes nothing"));
  for (const archive of [source, target]) Object.assign(archive, { storePets: write, raiseIds: write });
  return new CopyPets(source, target, false, () => {}).execute();
}

describe("CopyPets", () => {
  it("completes any part of any catalogue exactly; then, and into itself, it copies nothing (property)", async () => {
    const ids = fc.uniqueArray(fc.bigInt({ min: 1n, max: 2n ** 52n }), { maxLength: 80 });
    const part = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(ids, part, async (ids, part) => {
        const pets = catalogueOf(ids.sort((a, b) => (a < b ? -1 : 1)));
        const [source, target] = [await memory(pets), await memory(pets.filter(() => part.next().value))];
        const present = await target.countPets();
        const done = { verified: pets.length, meanwhile: 0, faults: [] };
        expect(await copy(source, target)).to.deep.equal({ copied: pets.length - present, present, ...done });
        expect(await stateOf(target)).to.deep.equal(await stateOf(source));
        for (const complete of [target, source]) {
          const report = await copy(source, complete);
          expect(report).to.deep.equal({ copied: 0, present: pets.length, ...done });
        }
      }),
      { numRuns: 50 },
    );
  });

  it("resumes a copy that failed, where it ended", async () => {
    const [source, target] = [await memory(catalogueOf(upTo(2500))), await memory()];
    const { storePets } = target;
    target.storePets = async (pets) => {
      if (await target.countPets()) throw storageUnavailable(new Error("no answer"));
      return storePets.call(target, pets);
    };
    expect(await copy(source, target).catch(({ code }) => code)).to.equal("storage_unavailable");
    target.storePets = storePets;
    expect(await copy(source, target)).to.include({ copied: 1500, present: 1000, verified: 2500 });
  });

  it("raises the target's ids before the first pet is stored, and once more at the end", async () => {
    const [source, target] = [await memory(catalogueOf([3])), await memory()];
    await source.raiseIds(70n);
    const { storePets } = target;
    target.storePets = async (pets) => {
      expect(await target.highestId()).to.equal(70n);
      await source.raiseIds(75n);
      return storePets.call(target, pets);
    };
    await copy(source, target);
    expect(await target.highestId()).to.equal(75n);
  });

  it("counts the pets that the target lacks, wherever they appear and whatever the source counts", async () => {
    const pets = catalogueOf(upTo(2100).map((n) => 10 * n));
    // The last walk reads three pages, and misses pets that appear behind it.
    for (let [read, beforeLastWalk] = [1, 2]; read <= beforeLastWalk; read++) {
      const [source, target] = [await memory(pets), await memory(pets.slice(0, 1000))];
      const { readPets } = source;
      let reads = 0;
      source.countPets = async () => 7 * reads;
      source.readPets = async (range) => {
        const page = await readPets.call(source, range);
        if (++reads === read) await source.storePets(catalogueOf([1, 1_000_000]));
        return page;
      };
      const { meanwhile, faults } = await copy(source, target);
      beforeLastWalk = reads - 3;
      const lacking = (await allOf(source)).length - (await allOf(target)).length;
      expect({ meanwhile, faults }).to.deep.equal({ meanwhile: lacking, faults: [] });
    }
  });

  for (const [what, run, comparison] of [
    ["copies", copy, 2],
    ["compares", verify, 1],
  ] as const) {
    it(`detects, when it ${what}, that one pet vanishes and another appears behind the comparison`, async () => {
      const [source, changed] = [await memory(catalogueOf([10, 11, 12])), catalogueOf([5, 10, 12])];
      const { readPets } = source;
      let reads = 0;
      source.readPets = (range) =>
        reads++ < comparison ? readPets.call(source, range) : Promise.resolve(changed);
      const { faults, ...counts } = await run(source, await memory(catalogueOf([10, 11, 12])));
      expect(counts).to.deep.equal({ copied: 0, present: 3, verified: 2, meanwhile: 1 });
      expect(faults).to.deep.equal(["pet 11 is in TO but not in FROM"]);
    });
  }

  it("detects a pet that the target confirmed and lost", async () => {
    const [source, target] = [await memory(catalogueOf([1, 2, 3, 4])), await memory()];
    const { storePets } = target;
    target.storePets = (pets) => storePets.call(target, pets.toSpliced(2, 1));
    const { faults, ...counts } = await copy(source, target);
    expect(counts).to.deep.equal({ copied: 4, present: 0, verified: 3, meanwhile: 0 });
    expect(faults).to.deep.equal(["TO lacks 1 of FROM's pets; the first is pet 3"]);
  });

  it("does not blame the target for pets that other programs delete on both sides", async () => {
    const [pets, rest] = [catalogueOf([1, 2, 3]), catalogueOf([1, 3])];
    const [source, target] = [await memory(pets), await memory(pets)];
    const { readPets } = target;
    let reads = 0;
    target.readPets = async (range) => {
      if (++reads === 3) source.readPets = target.readPets = async () => rest;
      return reads < 3 ? readPets.call(target, range) : rest;
    };
    expect(await copy(source, target)).to.deep.include({ verified: 2, faults: [] });
  });

  // Three pages of pets with records.
  const pets = catalogueOf(upTo(2500).map((n) => 2 * n + 1));
  const some = pets[1501] as ArchivedPet;
  const { pet, record = { key: "", fingerprint: "" } } = some;

  it("refuses a target with a pet that differs in anything, and changes nothing", async () => {
    for (const [difference, different] of [
      ["is in TO but not in FROM", { ...some, pet: { ...pet, id: 3004n } }],
      ["differs in its name", { ...some, pet: { ...pet, name: "other" } }],
      ["differs in its categoryId", { ...some, pet: { ...pet, categoryId: 7n } }],
      ["differs in its status", { ...some, pet: { ...pet, status: "available" } }],
      ["differs in its record", { pet, record: undefined }],
      ["differs in its record", { pet, record: { ...record, key: "other" } }],
      ["differs in its record", { pet, record: { ...record, fingerprint: "other" } }],
    ] as const) {
      const [source, target] = [await memory(pets.slice(0, 1502)), await memory([different])];
      await fill(target, pets.slice(0, 10));
      const before = [await stateOf(source), await stateOf(target)];
      const { message } = await copy(source, target).catch((error) => error);
      expect(message, difference).to.include(`pet ${different.pet.id} ${difference}`);
      expect([await stateOf(source), await stateOf(target)]).to.deep.equal(before);
    }
  });

  it("compares without a write, with any number of full pages", async () => {
    for (const length of [0, 999, 1000, 1001, 2000]) {
      const some = pets.slice(0, length);
      const report = { copied: 0, present: length, verified: length, meanwhile: 0, faults: [] };
      expect(await verify(await memory(some), await memory(some))).to.deep.equal(report);
    }
  });

  it("names the first pet that the target lacks, and ids that it could reuse", async () => {
    const target = await memory([...pets.slice(0, 1200), ...pets.slice(1203, 2499)]);
    const { faults, ...counts } = await verify(await memory(pets), target);
    expect(counts).to.deep.equal({ copied: 0, present: 2496, verified: 2496, meanwhile: 0 });
    expect(faults[0]).to.equal("TO lacks 4 of FROM's pets; the first is pet 2403");
    expect(faults[1]).to.include("ids");
  });

  it("names ten of the pets that only the target holds, and counts the rest", async () => {
    const { faults } = await verify(await memory(), await memory(pets.slice(0, 30)));
    expect(faults).to.have.length(11);
    expect(faults[9]).to.include("pet 21 ");
    expect(faults[10]).to.include("20 more");
  });
});
