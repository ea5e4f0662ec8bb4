import { BatchedArchive } from "./copying/batched-archive.js";
import type { CopyObserver } from "./copying/copy-observer.js";
import { type Difference, differingMember } from "./copying/difference.js";
import { PetStream, walkInStep } from "./copying/pet-stream.js";
import type { PetArchive } from "./ports/pet-archive.js";

/** How many differences to name. Further ones are only counted. */
const NAMED_MOST = 10;

interface Verification {
  /** How many pets are the same on both sides, with their records. */
  readonly verified: number;
  /** How many pets only the source has, and the id of the first. */
  readonly missing: number;
  readonly firstMissing: bigint | undefined;
  /** How many pets differ, or are only in the target, with the first few of them. */
  readonly different: number;
  readonly differences: readonly Difference[];
  /** Whether the target may give an id that the source has given: its ids are behind. */
  readonly idsBehind: boolean;
  /** How many pets both sides have, the same or not. */
  readonly onBoth: number;
}

/** Compares two catalogues pet by pet with records, and changes nothing. */
export class VerifyCopy {
  private readonly source: BatchedArchive;
  private readonly target: BatchedArchive;

  constructor(
    source: PetArchive,
    target: PetArchive,
    private readonly observer: CopyObserver,
  ) {
    this.source = new BatchedArchive(source, "source", observer);
    this.target = new BatchedArchive(target, "target", observer);
  }

  async execute(): Promise<Verification> {
    const total = await this.source.ask((archive) => archive.countPets());
    let onBoth = 0;
    let verified = 0;
    let missing = 0;
    let firstMissing: bigint | undefined;
    let different = 0;
    const differences: Difference[] = [];

    function differs(difference: Difference): void {
      different++;
      if (differences.length < NAMED_MOST) differences.push(difference);
    }

    await walkInStep(
      new PetStream(this.source),
      new PetStream(this.target),
      (one, other) => {
        if (!one) {
          if (other) differs({ id: other.pet.id, in: "target" });
        } else if (!other) {
          missing++;
          firstMissing ??= one.pet.id;
        } else {
          onBoth++;
          const member = differingMember(one, other);
          if (member) differs({ id: one.pet.id, in: member });
          else verified++;
        }
        return true;
      },
      () => this.observer.progressed({ phase: "verifying", pets: onBoth, total }),
    );
    return {
      ...{ verified, missing, firstMissing, different, differences, onBoth },
      idsBehind: await this.areIdsBehind(),
    };
  }

  private async areIdsBehind(): Promise<boolean> {
    const given = await this.source.ask((archive) => archive.highestId());
    return (await this.target.ask((archive) => archive.highestId())) < given;
  }
}
