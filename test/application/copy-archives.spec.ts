import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import type { OnProgress } from "../../src/application/compare-archives.js";
import { CopyArchives } from "../../src/application/copy-archives.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { allOf, archiveOf, catalogueOf, catalogues, fill } from "../support/catalogues.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

function copy(source: MemoryPetRepository, target: MemoryPetRepository, onProgress: OnProgress = () => {}) {
  return new CopyArchives([[archiveOf(source), archiveOf(target)]], onProgress).execute();
}

function memory(pets: readonly ArchivedPet[] = []): Promise<MemoryPetRepository> {
  return fill(new MemoryPetRepository(), pets);
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

describe("CopyArchives", () => {
  it("makes any catalogue of any part of it, exactly, and finds nothing to do the second time", async () => {
    const part = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(catalogues, part, fc.bigInt({ min: 0n, max: 1000n }), async (pets, part, gone) => {
        const source = await memory(pets);
        // Ids of pets that are gone.
        await source.raiseIds((await source.highestId()) + gone);
        const there = pets.filter(() => part.next().value);
        const target = await memory(there);
        const [all, present] = [pets.length, there.length];
        const none = { missing: 0, different: 0, late: 0, idsBehind: false, isRefused: false };
        const done = { ...none, verified: all };
        expect(await copy(source, target)).to.include({ copied: all - present, present, ...done });
        expect(await allOf(target)).to.deep.equal(pets);
        expect(await target.highestId()).to.equal(await source.highestId());
        expect(await copy(source, target)).to.include({ copied: 0, present: all, ...done });
      }),
      { numRuns: 50 },
    );
  });

  it("resumes an earlier copy, whichever call of the target was its last", async () => {
    const pets = catalogueOf(upTo(2100));
    const source = await memory(pets);
    for (let calls = 0; ; calls++) {
      const [target, dying] = [await memory(), await memory()];
      let left = calls;
      for (const name of ["readPets", "storePets", "countPets", "highestId", "raiseIds"] as const) {
        Object.assign(dying, {
          [name]: async (argument: never) => {
            if (left-- <= 0) throw storageUnavailable(new Error("away"));
            return target[name](argument);
          },
        });
      }
      const end = await copy(source, dying).catch((error) => error);
      const there = (await allOf(target)).length;
      const rest = await copy(source, target);
      expect(rest).to.include({ copied: 2100 - there, present: there, verified: 2100 });
      expect(await allOf(target)).to.deep.equal(pets);
      if (!(end instanceof Error)) break;
      expect(end).to.include({ code: "storage_unavailable" });
      expect(calls).to.be.lessThan(50);
    }
  });

  it("reports progress every thousand pets", async () => {
    const source = await memory(catalogueOf(upTo(2100)));
    const target = await memory(catalogueOf(upTo(1000)));
    const told: string[] = [];
    await copy(source, target, (phase, pets, total) => told.push(`${phase} ${pets}/${total}`));
    expect(told).to.deep.equal([
      "comparing 1000/2100",
      "comparing 2000/2100",
      "comparing 2100/2100",
      "copying 1000/1100",
      "copying 1100/1100",
      "verifying 1000/2100",
      "verifying 2000/2100",
      "verifying 2100/2100",
      "rechecking 1000/2100",
      "rechecking 2000/2100",
      "rechecking 2100/2100",
    ]);
  });

  it("rejects with the first failure of two sides that fail at the same time", async () => {
    for (const [first, second] of [
      ["read", "store"],
      ["store", "read"],
    ]) {
      const [source, target] = [await memory(catalogueOf(upTo(2100))), await memory()];
      const fail = async (operation: string) => {
        if (operation === second) await sleep(5);
        throw storageUnavailable(new Error(operation));
      };
      const { readPets } = source;
      source.readPets = (range) => (range.after > 0n ? fail("read") : readPets.call(source, range));
      target.storePets = () => fail("store");
      const error = await copy(source, target).catch((error) => error);
      expect(error.cause.message).to.equal(first);
      // An unhandled rejection would fail the test.
      await sleep(10);
    }
  });

  describe("with a source in use", () => {
    it("raises the target's ids before the first pet is stored, and once more at the end", async () => {
      const source = await memory(catalogueOf([3, 4]));
      await source.raiseIds(70n);
      const target = await memory();
      const { raiseIds, storePets } = target;
      target.raiseIds = async (id) => {
        await sleep(1);
        return raiseIds.call(target, id);
      };
      target.storePets = async (pets) => {
        await sleep(1);
        expect(await target.highestId()).to.equal(70n);
        await source.create(REX);
        return storePets.call(target, pets);
      };
      expect(await copy(source, target)).to.include({ copied: 2, verified: 2, missing: 1, late: 0 });
      expect((await target.create(REX)).pet.id).to.equal(72n);
    });

    it("reports what the target lacks, wherever pets appear meanwhile and whatever the source's count says", async () => {
      const pets = catalogueOf(upTo(2100).map((n) => 10 * n));
      for (const lie of [-1, 0, 1]) {
        // What is stored behind the last walk while it runs cannot be seen.
        for (let [after, beforeLastWalk] = [1, 2]; after <= beforeLastWalk; after++) {
          const [source, target] = [await memory(pets), await memory(pets.slice(0, 1000))];
          const { readPets, countPets } = source;
          let reads = 0;
          source.countPets = async () => (await countPets.call(source)) + 7 * lie * reads;
          source.readPets = async (range) => {
            const page = await readPets.call(source, range);
            // One pet behind the walk, and one ahead of it.
            if (++reads === after) await source.storePets(catalogueOf([1, 1_000_000]));
            return page;
          };
          const { missing, late, different } = await copy(source, target);
          beforeLastWalk = reads - 3;
          const lacking = (await allOf(source)).length - (await allOf(target)).length;
          expect({ missing: missing + late, different }).to.deep.equal({ missing: lacking, different: 0 });
          source.readPets = readPets;
          expect(await copy(source, target)).to.include({ verified: 2102, missing: 0, late: 0 });
        }
      }
    });
  });

  describe("refuses, and changes nothing", () => {
    const pets = catalogueOf(upTo(2500).map((n) => 2 * n));
    const one = pets[1501] as ArchivedPet;
    const { pet, record } = one;
    const DIFFERENT: Record<string, ArchivedPet> = {
      "target, below": { ...one, pet: { ...pet, id: 1n } },
      "target, between": { ...one, pet: { ...pet, id: 2501n } },
      "target, above": { ...one, pet: { ...pet, id: 5001n } },
      name: { ...one, pet: { ...pet, name: pet.name.toUpperCase() } },
      categoryId: { ...one, pet: { ...pet, categoryId: -1n } },
      status: { ...one, pet: { ...pet, status: pet.status === "sold" ? "pending" : "sold" } },
      record: { pet, record: undefined },
      "record, key": { pet, record: { key: "another", fingerprint: record?.fingerprint ?? "" } },
      "record, fingerprint": { pet, record: { key: record?.key ?? "", fingerprint: "another" } },
    };
    for (const [what, other] of Object.entries(DIFFERENT)) {
      it(`a target with a pet that differs in its ${what}`, async () => {
        const [where] = what.split(",");
        const [source, target] = [await memory(pets), await memory()];
        await fill(target, [other]);
        for (const archived of pets.slice(0, 1000)) if (archived !== one) await target.storePets([archived]);
        const stateOf = async (archive: PetArchive) => [await allOf(archive), await archive.highestId()];
        const before = [await stateOf(source), await stateOf(target)];
        const { isRefused, differences, copied } = await copy(source, target);
        expect({ isRefused, copied }).to.deep.equal({ isRefused: true, copied: 0 });
        expect(differences).to.deep.equal([{ name: "pet", id: other.pet.id, in: where }]);
        expect([await stateOf(source), await stateOf(target)]).to.deep.equal(before);
      });
    }
  });

  it("finds a pet that the target lost though it confirmed it", async () => {
    const target = await memory();
    const { storePets } = target;
    target.storePets = (pets) =>
      storePets.call(
        target,
        pets.filter(({ pet }) => pet.id !== 3n),
      );
    const result = await copy(await memory(catalogueOf([1, 2, 3, 4])), target);
    expect(result).to.include({ copied: 4, verified: 3, missing: 1, different: 0 });
    expect(result.firstMissing?.id).to.equal(3n);
  });
});
