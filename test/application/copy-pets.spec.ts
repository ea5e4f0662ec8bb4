import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import type { OnProgress } from "../../src/application/compare-pets.js";
import { CopyPets } from "../../src/application/copy-pets.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { allOf, catalogueOf, catalogues, fill } from "../support/catalogues.js";

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

function copy(source: PetArchive, target: PetArchive, onProgress: OnProgress = () => {}) {
  return new CopyPets(source, target, onProgress).execute();
}

function memory(pets: readonly ArchivedPet[] = []): Promise<MemoryPetRepository> {
  return fill(new MemoryPetRepository(), pets);
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

describe("CopyPets", () => {
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
        const none = { missing: 0, different: 0, since: 0, idsBehind: false, isRefused: false };
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

  it("tells its progress every thousand pets", async () => {
    const source = await memory(catalogueOf(upTo(2100)));
    const target = await memory(catalogueOf(upTo(1000)));
    const told: string[] = [];
    await copy(source, target, (phase, pets, total) => told.push(`${phase} ${pets}/${total}`));
    expect(told).to.deep.equal([
      "comparing 1000/2100",
      "comparing 2000/2100",
      "copying 1000/1100",
      "copying 1100/1100",
      "verifying 1000/2100",
      "verifying 2000/2100",
    ]);
  });

  describe("with a source in use", () => {
    it("raises the target's ids before the first pet is stored, and once more at the end", async () => {
      const source = await memory(catalogueOf([3, 4]));
      await source.raiseIds(70n);
      const target = await memory();
      const { storePets } = target;
      target.storePets = async (pets) => {
        expect(await target.highestId()).to.equal(70n);
        await source.create(REX);
        return storePets.call(target, pets);
      };
      await copy(source, target);
      expect((await target.create(REX)).pet.id).to.equal(72n);
    });

    it("counts pets that come meanwhile, anywhere, and the next copy adds them", async () => {
      const source = await memory(catalogueOf(upTo(3000).map((n) => 10 * n)));
      const target = await memory();
      let steps = 0;
      const first = await copy(source, target, async () => {
        steps++;
        // One pet behind the place of the copy, and one ahead of it.
        await source.storePets(catalogueOf([steps, 1_000_000 + steps]));
      });
      expect(first.different).to.equal(0);
      expect(first.missing + first.since).to.be.greaterThan(0);
      const all = (await allOf(source)).length;
      const present = (await allOf(target)).length;
      const second = await copy(source, target);
      expect(second).to.include({ present, copied: all - present, verified: all, missing: 0, since: 0 });
      expect(await allOf(target)).to.deep.equal(await allOf(source));
    });
  });

  describe("refuses, and changes nothing", () => {
    const pets = catalogueOf(upTo(2500).map((n) => 2 * n));
    const one = pets[1501] as ArchivedPet;
    const { pet, record } = one;
    const STRANGERS: Record<string, ArchivedPet> = {
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
    for (const [what, stranger] of Object.entries(STRANGERS)) {
      it(`a target whose stranger differs in its ${what}`, async () => {
        const [where] = what.split(",");
        const [source, target] = [await memory(pets), await memory()];
        await fill(target, [stranger]);
        for (const archived of pets.slice(0, 1000)) if (archived !== one) await target.storePets([archived]);
        const stateOf = async (archive: PetArchive) => [await allOf(archive), await archive.highestId()];
        const before = [await stateOf(source), await stateOf(target)];
        const { isRefused, differences, copied } = await copy(source, target);
        expect({ isRefused, copied }).to.deep.equal({ isRefused: true, copied: 0 });
        expect(differences).to.deep.equal([{ id: stranger.pet.id, in: where }]);
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
    expect(result).to.include({ copied: 4, verified: 3, missing: 1, firstMissing: 3n, different: 0 });
  });
});
