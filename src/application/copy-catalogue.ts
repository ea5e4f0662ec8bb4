import { type Difference, differingMember } from "./copying/difference.js";
import { batchesOf, petsOf } from "./copying/pet-stream.js";
import { type Progressed, STEP } from "./copying/progress.js";
import type { PetArchive } from "./ports/pet-archive.js";
import { type Verification, VerifyCopy } from "./verify-copy.js";

/** The comparison of both sides after a copy: pets that came to the source during the copy count as `since`, not as missing. */
export interface CopyResult extends Verification {
  /** How many pets this copy has stored in the target. */
  readonly copied: number;
  /** How many pets the target had already. */
  readonly present: number;
}

/** The target has a pet that the source lacks, or has with other content. The copy has changed nothing. */
export class CopyRefused extends Error {
  constructor(readonly difference: Difference) {
    super(`The copy is refused: pet ${difference.id} differs.`);
  }
}

/**
 * Copies every pet of one storage into another, with its id and its record. A copy may end at any moment; the
 * next one goes on from there. The source may be in use: pets that come meanwhile wait for the next copy.
 */
export class CopyCatalogue {
  constructor(
    private readonly source: PetArchive,
    private readonly target: PetArchive,
    private readonly progressed: Progressed,
  ) {}

  /** @throws CopyRefused, PetConflict, PetstoreError `storage_unavailable` */
  async execute(): Promise<CopyResult> {
    const { present, after, presentAfter } = await this.compare();
    // The target's ids rise before its first pet is stored: if a service runs on the target by mistake, that service
    // then gives no id of the source.
    await this.raiseIds();
    const copied = (await this.store(after, present)) - presentAfter;
    const found = await new VerifyCopy(this.source, this.target, this.progressed).execute();
    // The source may have given further ids meanwhile.
    await this.raiseIds();
    const result = { ...found, copied, present, idsBehind: false };
    const lost = present + copied - found.onBoth;
    // The target has acknowledged pets that it does not have.
    if (lost > 0 && found.missing > 0) return { ...result, missing: lost, since: 0 };
    const since = Math.max(found.missing, found.since);
    return { ...result, missing: 0, firstMissing: undefined, since };
  }

  /** Finds the id up to which the target lacks no pet, and how many pets it has after that id. */
  private async compare(): Promise<{ present: number; after: bigint; presentAfter: number }> {
    const total = await this.target.countPets();
    const ones = petsOf(this.source);
    let [present, presentAfter, after] = [0, 0, 0n];
    let complete = true;
    for await (const other of petsOf(this.target)) {
      const { id } = other.pet;
      let one = (await ones.next()).value;
      for (; one && one.pet.id < id; one = (await ones.next()).value) complete = false;
      const difference = one?.pet.id === id ? differingMember(one, other) : "target";
      if (difference) throw new CopyRefused({ id, in: difference });
      if (complete) after = id;
      else presentAfter++;
      if (++present % STEP === 0) this.progressed({ phase: "comparing", pets: present, total });
    }
    return { present, after, presentAfter };
  }

  private async raiseIds(): Promise<void> {
    await this.target.raiseIds(await this.source.highestId());
  }

  /**
   * Stores the source's pets after an id, also those that the target has. Reads the next batch while the target stores
   * some. Returns how many pets they were.
   */
  private async store(after: bigint, present: number): Promise<number> {
    const total = Math.max(0, (await this.source.countPets()) - present);
    let pets = 0;
    // Two batches at once: the next one arrives while the target stores one.
    let [earlier, storing] = [Promise.resolve(), Promise.resolve()];
    for await (const batch of batchesOf(this.source, after)) {
      await earlier;
      earlier = storing;
      storing = this.target.storePets(batch);
      // The code below awaits it. Until then a failure must not count as unhandled.
      storing.catch(() => undefined);
      this.progressed({ phase: "copying", pets, total });
      pets += batch.length;
    }
    await Promise.all([earlier, storing]);
    this.progressed({ phase: "copying", pets, total });
    return pets;
  }
}
