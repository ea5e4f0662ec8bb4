import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import { CopyCatalogue, CopyRefused } from "../../src/application/copy-catalogue.js";
import type { Difference } from "../../src/application/copying/difference.js";
import type { Progressed } from "../../src/application/copying/progress.js";
import { type ArchivedPet, isPetConflict, type PetArchive } from "../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { allOf, catalogueOf, catalogues, fill } from "../support/catalogues.js";

/** How many catalogues each property is checked on. */
const RUNS = 30;

const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

function copy(source: PetArchive, target: PetArchive, progressed: Progressed = () => {}) {
  return new CopyCatalogue(source, target, progressed).execute();
}

function memory(pets: readonly ArchivedPet[] = []): Promise<MemoryPetRepository> {
  return fill(new MemoryPetRepository(), pets);
}

function idsUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, n) => n + 1);
}

describe("CopyCatalogue", () => {
  it("copies any catalogue exactly, and finds nothing to do the second time", async () => {
    await fc.assert(
      fc.asyncProperty(catalogues, fc.bigInt({ min: 0n, max: 1000n }), async (pets, gone) => {
        const source = await memory(pets);
        // Ids that the source has given to pets that are gone.
        await source.raiseIds((await source.highestId()) + gone);
        const target = await memory();
        const n = pets.length;
        const none = { since: 0, different: 0, missing: 0, idsBehind: false };
        expect(await copy(source, target)).to.include({ copied: n, present: 0, verified: n, ...none });
        expect(await allOf(target)).to.deep.equal(pets);
        expect(await target.highestId()).to.equal(await source.highestId());
        expect(await copy(source, target)).to.include({ copied: 0, present: n, verified: n, ...none });
      }),
      { numRuns: RUNS },
    );
  });

  it("adds the missing pets to a target that has any part of the source", async () => {
    const part = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(catalogues, part, async (pets, part) => {
        const there = pets.filter(() => part.next().value);
        const [source, target] = [await memory(pets), await memory(there)];
        const n = pets.length;
        const present = there.length;
        expect(await copy(source, target)).to.include({ copied: n - present, present, verified: n });
        expect(await allOf(target)).to.deep.equal(pets);
      }),
      { numRuns: RUNS },
    );
  });

  it("finishes an earlier copy, at whatever step that copy ended", async () => {
    const pets = catalogueOf(idsUpTo(2100));
    const source = await memory(pets);
    // At every step of comparing, copying and verifying.
    for (let end = 1; end <= 40; end++) {
      const target = await memory();
      let steps = 0;
      const wasInterrupted = await copy(source, target, () => {
        if (++steps === end) throw new Error("interrupted");
      }).then(
        () => false,
        () => true,
      );
      const there = (await allOf(target)).length;
      const { copied, present } = await copy(source, target);
      expect({ copied, present }).to.deep.equal({ copied: pets.length - there, present: there });
      expect(isDeepStrictEqual(await allOf(target), pets)).to.equal(true);
      if (!wasInterrupted) {
        expect(end).to.be.greaterThan(6);
        return;
      }
    }
    throw new Error("The copy was interrupted every time, and never ended by itself.");
  });

  it("tells how far it is, every 1000 pets and at the end", async () => {
    const source = await memory(catalogueOf(idsUpTo(2100)));
    const target = await memory(catalogueOf(idsUpTo(1000)));
    const told: string[] = [];
    await copy(source, target, ({ phase, pets, total }) => told.push(`${phase} ${pets}/${total}`));
    expect(told).to.deep.equal([
      "comparing 1000/1000",
      "copying 0/1100",
      "copying 1000/1100",
      "copying 1100/1100",
      "verifying 1000/2100",
      "verifying 2000/2100",
      "verifying 2100/2100",
    ]);
  });

  it("raises the ids of the target before it stores the first pet", async () => {
    const source = await memory(catalogueOf([3, 4]));
    await source.raiseIds(70n);
    const target = new (class extends MemoryPetRepository {
      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        expect(await this.highestId()).to.equal(70n);
        await super.storePets(pets);
      }
    })();
    await copy(source, target);
    expect((await target.create(REX)).pet.id).to.equal(71n);
  });

  describe("with a source in use", () => {
    it("copies the present pets, and the next copy those that came since, even below the highest id", async () => {
      const source = await memory(catalogueOf(Array.from({ length: 3000 }, (_, n) => 10 * n + 10)));
      const target = await memory();
      let steps = 0;
      const first = await copy(source, target, async () => {
        steps++;
        // One pet behind the copy's place, and one ahead of it.
        await source.storePets(catalogueOf([steps, 1_000_000 + steps]));
      });
      expect(first.different).to.equal(0);
      expect(first.since).to.be.greaterThan(0);
      expect(await target.highestId()).to.equal(await source.highestId());
      const all = (await allOf(source)).length;
      const second = await copy(source, target);
      expect(second).to.include({ present: first.copied, verified: all, since: 0, different: 0 });
      expect(await allOf(target)).to.deep.equal(await allOf(source));
    });

    it("gives no id that the source gave while it was copied", async () => {
      const source = await memory(catalogueOf([1]));
      const target = await memory();
      await copy(source, target, async () => {
        await source.create(REX);
      });
      expect((await target.create(REX)).pet.id).to.equal((await source.highestId()) + 1n);
    });
  });

  describe("refuses, and changes nothing", () => {
    async function expectRefused(source: PetArchive, target: PetArchive, difference: Difference) {
      const stateOf = async (archive: PetArchive) => [await allOf(archive), await archive.highestId()];
      const before = [await stateOf(source), await stateOf(target)];
      const error = await copy(source, target).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(CopyRefused);
      expect((error as CopyRefused).difference).to.deep.equal(difference);
      expect([await stateOf(source), await stateOf(target)]).to.deep.equal(before);
    }

    const pets = catalogueOf(Array.from({ length: 2500 }, (_, n) => 2 * n + 2));

    for (const [where, id] of Object.entries({ below: 1n, between: 2501n, above: 5001n })) {
      it(`a target with a pet ${where} those of the source`, async () => {
        const target = await memory([...pets.slice(0, 1500), ...catalogueOf([id])].sort(byId));
        await expectRefused(await memory(pets), target, { id, in: "target" });
      });
    }

    const last = pets[1501] as ArchivedPet;
    const changes: Record<string, ArchivedPet> = {
      name: { ...last, pet: { ...last.pet, name: last.pet.name.toUpperCase() } },
      categoryId: { ...last, pet: { ...last.pet, categoryId: -1n } },
      status: { ...last, pet: { ...last.pet, status: last.pet.status === "sold" ? "pending" : "sold" } },
      record: { ...last, record: undefined },
      "record.key": { ...last, record: { key: "another", fingerprint: last.record?.fingerprint ?? "" } },
      "record.fingerprint": { ...last, record: { key: last.record?.key ?? "", fingerprint: "another" } },
    };
    for (const [member, changed] of Object.entries(changes)) {
      it(`a target with a pet of another ${member}`, async () => {
        const target = await memory([...pets.slice(0, 1501), changed]);
        await expectRefused(await memory(pets), target, { id: last.pet.id, in: member as "name" });
      });
    }
  });

  it("names a pet that the target lost though it acknowledged it", async () => {
    class Forgetful extends MemoryPetRepository {
      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        await super.storePets(pets.filter(({ pet }) => pet.id !== 3n));
      }
    }
    const result = await copy(await memory(catalogueOf([1, 2, 3, 4])), new Forgetful());
    expect(result).to.include({ missing: 1, firstMissing: 3n, different: 0 });
  });

  for (const method of ["readPets", "storePets", "countPets", "highestId", "raiseIds"] as const) {
    it(`ends if the target is away at ${method}, and the next copy finishes`, async () => {
      const [source, target] = [await memory(catalogueOf(idsUpTo(1500))), await memory()];
      const away = () => Promise.reject(storageUnavailable(new Error("away")));
      const whole = target[method];
      Object.assign(target, { [method]: away });
      const error = await copy(source, target).catch((error: unknown) => error);
      expect(error).to.include({ code: "storage_unavailable" });
      expect(isPetConflict(error)).to.equal(false);
      Object.assign(target, { [method]: whole });
      expect(await copy(source, target)).to.include({ verified: 1500 });
    });
  }

  it("refuses a source that gives its pets out of order", async () => {
    class Disordered extends MemoryPetRepository {
      override async readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
        return (await super.readPets(range)).reverse();
      }
    }
    const source = await fill(new Disordered(), catalogueOf([1, 2]));
    const error = await copy(source, await memory()).catch((error) => error);
    expect(error.message).to.match(/gives its pets out of order: 1 after 2/);
  });
});

function byId(a: ArchivedPet, b: ArchivedPet): number {
  return a.pet.id < b.pet.id ? -1 : 1;
}
