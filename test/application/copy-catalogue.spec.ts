import { expect } from "chai";
import fc from "fast-check";
import { MemoryPetRepository } from "../../src/adapters/memory/memory-pet-repository.js";
import {
  CopyCatalogue,
  CopyRefused,
  type CopyResult,
  type Refusal,
} from "../../src/application/copy-catalogue.js";
import { isUnfinishedCopy } from "../../src/application/copying/copy-mark.js";
import type { CopyObserver, CopyProgress } from "../../src/application/copying/copy-observer.js";
import type { ArchivedPet, PetArchive } from "../../src/application/ports/pet-archive.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { allOf, catalogueOf, catalogues, fill } from "../support/catalogues.js";

/** How many catalogues each property is checked on. */
const RUNS = 60;

class Watcher implements CopyObserver {
  readonly outages: string[] = [];
  readonly seen: CopyProgress[] = [];

  constructor(private readonly onProgress: (nth: number) => Promise<void> = async () => {}) {}

  async progressed(progress: CopyProgress): Promise<void> {
    this.seen.push(progress);
    await this.onProgress(this.seen.length);
  }

  async away(side: string, { attempt, answered }: { attempt: number; answered: boolean }): Promise<void> {
    this.outages.push(`${side} ${attempt} ${answered}`);
  }

  back(side: string): void {
    this.outages.push(`${side} is back`);
  }
}

let copies = 0;

function copy(
  source: PetArchive,
  target: PetArchive,
  observer: CopyObserver = new Watcher(),
): Promise<CopyResult> {
  return new CopyCatalogue(source, target, observer, `copy-${++copies}`).execute();
}

async function refusalOf(running: Promise<unknown>): Promise<Refusal> {
  const error = await running.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof CopyRefused) return error.refusal;
  throw new Error(`Not refused: ${error}`);
}

function memory(pets: readonly ArchivedPet[] = []): Promise<MemoryPetRepository> {
  return fill(new MemoryPetRepository(), pets);
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
        const result = { since: 0, different: 0, differences: [] };
        expect(await copy(source, target)).to.deep.equal({ copied: n, present: 0, verified: n, ...result });
        expect(await allOf(target)).to.deep.equal(pets);
        expect(await target.highestId()).to.equal(await source.highestId());
        expect(await copy(source, target)).to.deep.equal({ copied: 0, present: n, verified: n, ...result });
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
        const { copied, present, verified } = await copy(source, target);
        const n = pets.length;
        expect({ copied, present, verified }).to.deep.equal({
          copied: n - there.length,
          present: there.length,
          verified: n,
        });
        expect(await allOf(target)).to.deep.equal(pets);
      }),
      { numRuns: RUNS },
    );
  });

  it("finishes an earlier copy, at whatever step that copy ended", async () => {
    const pets = catalogueOf(Array.from({ length: 4200 }, (_, n) => n + 1));
    const source = await memory(pets);
    // At every step of comparing, copying and verifying.
    for (let end = 1; end <= 40; end++) {
      const target = await memory();
      const interrupted = copy(
        source,
        target,
        new Watcher(async (nth) => {
          if (nth === end) throw new Error("interrupted");
        }),
      ).then(
        () => false,
        () => true,
      );
      const wasInterrupted = await interrupted;
      const there = (await allOf(target)).length;
      // The mark shows anybody who opens the target that it holds only a part.
      const finished = there === pets.length && (await target.readMark()) === undefined;
      if (there > 0) expect(isUnfinishedCopy(await target.readMark())).to.equal(!finished);
      const { copied, present } = await copy(source, target);
      expect({ copied, present }).to.deep.equal({ copied: pets.length - there, present: there });
      expect(await allOf(target)).to.deep.equal(pets);
      expect(await target.readMark()).to.equal(undefined);
      if (!wasInterrupted) return;
    }
    throw new Error("The copy was interrupted every time, and never ended by itself.");
  });

  it("fills a gap between any two pets", async () => {
    const pets = catalogueOf(Array.from({ length: 24_600 }, (_, n) => n + 1));
    const target = await memory(pets.filter((_, n) => n % 2 === 0));
    const { copied, present, verified } = await copy(await memory(pets), target);
    expect({ copied, present, verified }).to.deep.equal({
      copied: 12_300,
      present: 12_300,
      verified: 24_600,
    });
  }).timeout(20_000);

  it("raises the ids of the target and marks it before it stores the first pet", async () => {
    const source = await memory(catalogueOf([3, 4]));
    await source.raiseIds(70n);
    const target = new (class extends MemoryPetRepository {
      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        expect(await this.highestId()).to.equal(70n);
        expect(isUnfinishedCopy(await this.readMark())).to.equal(true);
        await super.storePets(pets);
      }
    })();
    await copy(source, target);
    expect((await target.create({ name: "Rex", categoryId: 7n, status: "sold" })).pet.id).to.equal(71n);
  });

  it("turns no id into a double: neighbouring ids near 2^53 stay apart", async () => {
    const pets = catalogueOf([2n ** 53n - 3n, 2n ** 53n - 2n, 2n ** 53n - 1n]);
    const target = await memory();
    await copy(await memory(pets), target);
    expect(await allOf(target)).to.deep.equal(pets);
  });

  describe("with a source in use", () => {
    it("copies the present pets, and the next copy those that came since, even below the highest id", async () => {
      const source = await memory(catalogueOf(Array.from({ length: 3000 }, (_, n) => 10 * n + 10)));
      const target = await memory();
      const observer = new Watcher(async (nth) => {
        // One pet behind the copy's place, and one ahead of it.
        await source.storePets(catalogueOf([nth, 1_000_000 + nth]));
      });
      const first = await copy(source, target, observer);
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
      await copy(
        source,
        target,
        new Watcher(async () => {
          await source.create({ name: "Rex", categoryId: 7n, status: "sold" });
        }),
      );
      const { pet } = await target.create({ name: "Rex", categoryId: 7n, status: "sold" });
      expect(pet.id).to.equal((await source.highestId()) + 1n);
    });
  });

  describe("refuses, and changes nothing", () => {
    async function expectRefused(source: PetArchive, target: PetArchive, refusal: Refusal): Promise<void> {
      const stateOf = async (archive: PetArchive) => [
        await allOf(archive),
        await archive.highestId(),
        await archive.readMark(),
      ];
      const before = [await stateOf(source), await stateOf(target)];
      expect(await refusalOf(copy(source, target))).to.deep.equal(refusal);
      expect([await stateOf(source), await stateOf(target)]).to.deep.equal(before);
    }

    const pets = catalogueOf(Array.from({ length: 2500 }, (_, n) => 2 * n + 2));

    for (const [where, id] of Object.entries({ below: 1n, between: 2501n, above: 5001n })) {
      it(`a target with a pet ${where} those of the source`, async () => {
        const target = await memory([...pets.slice(0, 1500), ...catalogueOf([id])].sort(byId));
        await expectRefused(await memory(pets), target, {
          reason: "difference",
          difference: { id, in: "target" },
        });
      });
    }

    it("a target with a pet, if the source has none at all", async () => {
      await expectRefused(await memory(), await memory(catalogueOf([5])), {
        reason: "difference",
        difference: { id: 5n, in: "target" },
      });
    });

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
        await expectRefused(await memory(pets), target, {
          reason: "difference",
          difference: { id: last.pet.id, in: member as "name" },
        });
      });
    }

    it("a source that is the unfinished target of another copy", async () => {
      const source = await memory(pets);
      await source.writeMark("unfinished copy 1");
      await expectRefused(source, await memory(), { reason: "unfinished_source" });
    });

    it("the same storage twice, though two objects stand for it", async () => {
      const storage = await memory(pets);
      const again = new Proxy(storage, {});
      await expectRefused(storage, again, { reason: "same_storage" });
    });
  });

  describe("afterwards", () => {
    /** A storage that does not keep what it acknowledged. */
    class Forgetful extends MemoryPetRepository {
      constructor(private readonly change: (pets: readonly ArchivedPet[]) => readonly ArchivedPet[]) {
        super();
      }

      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        await super.storePets(this.change(pets));
      }
    }

    for (const [what, change, difference] of [
      [
        "lost",
        (pets: readonly ArchivedPet[]) => pets.filter(({ pet }) => pet.id !== 3n),
        { id: 3n, in: "source" },
      ],
      [
        "changed",
        (pets: readonly ArchivedPet[]) =>
          pets.map(({ pet, record }) => ({ pet: pet.id === 3n ? { ...pet, name: "Rex" } : pet, record })),
        { id: 3n, in: "name" },
      ],
      ["added", (pets: readonly ArchivedPet[]) => [...pets, ...catalogueOf([9])], { id: 9n, in: "target" }],
    ] as const) {
      it(`names a pet that the target has ${what}, and leaves the target marked`, async () => {
        const target = new Forgetful(change);
        const result = await copy(await memory(catalogueOf([1, 2, 3, 4])), target);
        expect(result.different).to.equal(1);
        expect(result.differences).to.deep.equal([difference]);
        expect(isUnfinishedCopy(await target.readMark())).to.equal(true);
      });
    }
  });

  describe("with a storage that is away", () => {
    /** A storage that fails every second call until it is mended. */
    class Flaky extends MemoryPetRepository {
      mended = false;
      private calls = 0;
      readonly batches: number[] = [];

      private check(): void {
        if (!this.mended && this.calls++ % 2 === 0) throw storageUnavailable(new Error("away"));
      }

      override async storePets(pets: readonly ArchivedPet[]): Promise<void> {
        this.check();
        this.batches.push(pets.length);
        await super.storePets(pets);
      }

      override async readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
        this.check();
        return super.readPets(range);
      }

      override async highestId(): Promise<bigint> {
        this.check();
        return super.highestId();
      }

      override async writeMark(mark: string | undefined): Promise<void> {
        this.check();
        return super.writeMark(mark);
      }
    }

    it("waits, asks again in smaller batches, and says when the storage is back", async () => {
      const pets = catalogueOf(Array.from({ length: 1500 }, (_, n) => n + 1));
      const target = new Flaky();
      const observer = new Watcher();
      expect(await copy(await memory(pets), target, observer)).to.include({ copied: 1500, verified: 1500 });
      target.mended = true;
      expect(await allOf(target)).to.deep.equal(pets);
      expect(observer.outages).to.include("target 1 true");
      expect(observer.outages).to.include("target is back");
      expect(Math.min(...target.batches)).to.be.lessThan(100);
    });

    it("ends if the observer gives up", async () => {
      const observer = new Watcher();
      observer.away = async () => {
        throw new Error("gave up");
      };
      const error = await copy(await memory(catalogueOf([1])), new Flaky(), observer).catch((error) => error);
      expect(error.message).to.equal("gave up");
    });

    it("does not ask again after any other failure", async () => {
      class Full extends MemoryPetRepository {
        override async storePets(): Promise<void> {
          throw new Error("The disk is full.");
        }
      }
      const observer = new Watcher();
      const error = await copy(await memory(catalogueOf([1])), new Full(), observer).catch((error) => error);
      expect(error.message).to.equal("The disk is full.");
      expect(observer.outages).to.deep.equal([]);
    });
  });

  it("refuses a source that gives its pets out of order", async () => {
    class Disordered extends MemoryPetRepository {
      override async readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
        return (await super.readPets(range)).reverse();
      }
    }
    const source = await fill(new Disordered(), catalogueOf([1, 2]));
    const error = await copy(source, await memory()).catch((error) => error);
    expect(error.message).to.match(/source gives its pets out of order/);
  });
});

function byId(a: ArchivedPet, b: ArchivedPet): number {
  return a.pet.id < b.pet.id ? -1 : 1;
}
