import { BatchedArchive } from "./copying/batched-archive.js";
import { copyBegins, isUnfinishedCopy, unfinishedCopy } from "./copying/copy-mark.js";
import type { CopyObserver } from "./copying/copy-observer.js";
import { type Difference, differingMember } from "./copying/difference.js";
import { PetStream, walkInStep } from "./copying/pet-stream.js";
import { storeMissing } from "./copying/store-missing.js";
import type { PetArchive } from "./ports/pet-archive.js";
import { VerifyCopy } from "./verify-copy.js";

export interface CopyResult {
  /** How many pets this copy has stored in the target. */
  readonly copied: number;
  /** How many pets the target had already. */
  readonly present: number;
  /** How many pets are the same on both sides afterwards, with their records. */
  readonly verified: number;
  /** How many pets came to the source meanwhile, and wait for the next copy. */
  readonly since: number;
  /** How many pets differ, with the first few of them. If there are any, the target stays marked. */
  readonly different: number;
  readonly differences: readonly Difference[];
}

/** Why a copy does not begin. */
export type Refusal =
  | { readonly reason: "same_storage" }
  /** The source is the unfinished target of another copy. */
  | { readonly reason: "unfinished_source" }
  /** The target has a pet that the source lacks, or has with other content. */
  | { readonly reason: "difference"; readonly difference: Difference };

/** The copy cannot begin, and has changed nothing. */
export class CopyRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The copy is refused: ${refusal.reason}.`);
  }
}

/**
 * Copies every pet of one storage into another, with its id and its record. A copy may end at any moment; the
 * next one goes on from there. The source may be in use: pets that come meanwhile wait for the next copy.
 */
export class CopyCatalogue {
  private readonly source: BatchedArchive;
  private readonly target: BatchedArchive;
  private readonly verify: VerifyCopy;

  /** @param token an ASCII word that no other copy has */
  constructor(
    source: PetArchive,
    target: PetArchive,
    private readonly observer: CopyObserver,
    private readonly token: string,
  ) {
    this.source = new BatchedArchive(source, "source", observer);
    this.target = new BatchedArchive(target, "target", observer);
    this.verify = new VerifyCopy(source, target, observer);
  }

  /** @throws CopyRefused, PetConflict */
  async execute(): Promise<CopyResult> {
    if (isUnfinishedCopy(await this.source.ask((archive) => archive.readMark()))) {
      throw new CopyRefused({ reason: "unfinished_source" });
    }
    const { present, after } = await this.compare();
    await this.markTarget();
    // The target's ids rise before its first pet is stored: if a service runs on the target by mistake, that service
    // then gives no id of the source.
    await this.raiseIds();
    const copied = await this.copy(after, present);
    const { verified, missing, firstMissing, different, differences, onBoth } = await this.verify.execute();
    // The source may have given further ids meanwhile.
    await this.raiseIds();
    const lost = present + copied - onBoth;
    if (lost > 0 && firstMissing !== undefined) {
      const first: Difference = { id: firstMissing, in: "source" };
      return {
        ...{ copied, present, verified },
        since: 0,
        different: different + lost,
        differences: [first, ...differences],
      };
    }
    if (different === 0) await this.target.ask((archive) => archive.writeMark(undefined));
    return { copied, present, verified, since: missing, different, differences };
  }

  /**
   * Finds out after which id the target begins to lack pets. Refuses a target with other pets. Changes nothing.
   */
  private async compare(): Promise<{ present: number; after: bigint }> {
    const total = await this.target.ask((archive) => archive.countPets());
    let present = 0;
    let after = 0n;
    let complete = true;
    const target = new PetStream(this.target);
    await walkInStep(
      new PetStream(this.source),
      target,
      (one, other) => {
        // The target lacks every pet after its last one.
        if (target.over) return false;
        if (!other) complete = false;
        else {
          const { id } = other.pet;
          const difference = one ? differingMember(one, other) : "target";
          if (difference) throw new CopyRefused({ reason: "difference", difference: { id, in: difference } });
          if (complete) after = id;
          present++;
        }
        return true;
      },
      () => this.observer.progressed({ phase: "comparing", pets: present, total }),
    );
    return { present, after };
  }

  /**
   * Makes sure that the target is not the source under another name, even if no adapter could tell `open-archives.ts`.
   * Marks the target as unfinished.
   */
  private async markTarget(): Promise<void> {
    const earlier = await this.target.ask((archive) => archive.readMark());
    const probe = isUnfinishedCopy(earlier) ? unfinishedCopy(this.token) : copyBegins(this.token);
    await this.target.ask((archive) => archive.writeMark(probe));
    if ((await this.source.ask((archive) => archive.readMark())) === probe) {
      await this.target.ask((archive) => archive.writeMark(earlier));
      throw new CopyRefused({ reason: "same_storage" });
    }
    await this.target.ask((archive) => archive.writeMark(unfinishedCopy(this.token)));
  }

  private async raiseIds(): Promise<void> {
    const given = await this.source.ask((archive) => archive.highestId());
    await this.target.ask((archive) => archive.raiseIds(given));
  }

  private async copy(after: bigint, present: number): Promise<number> {
    const pets = await this.source.ask((archive) => archive.countPets());
    const total = Math.max(0, pets - present);
    return storeMissing(this.source, this.target, after, (stored) =>
      this.observer.progressed({ phase: "copying", pets: stored, total }),
    );
  }
}
