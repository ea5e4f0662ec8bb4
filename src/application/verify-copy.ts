import { type Difference, differingMember } from "./copying/difference.js";
import { inStep } from "./copying/pet-stream.js";
import { type Progressed, STEP } from "./copying/progress.js";
import type { PetArchive } from "./ports/pet-archive.js";

/** How many differences to name. Further ones are only counted. */
const NAMED_MOST = 10;

export interface Verification {
  /** How many pets are the same on both sides, with their records. */
  readonly verified: number;
  /** How many pets both sides have, the same or not. */
  readonly onBoth: number;
  /** How many pets only the source has, and the id of the first. */
  readonly missing: number;
  readonly firstMissing: bigint | undefined;
  /** How many pets differ, or are only in the target, with the first few of them. */
  readonly different: number;
  readonly differences: readonly Difference[];
  /** How many pets at least came to the source during the comparison, perhaps where that had passed already. */
  readonly since: number;
  /** Whether the target may give an id that the source has given: its ids are behind. */
  readonly idsBehind: boolean;
}

/** Compares two catalogues pet by pet with records, and changes nothing. */
export class VerifyCopy {
  constructor(
    private readonly source: PetArchive,
    private readonly target: PetArchive,
    private readonly progressed: Progressed,
  ) {}

  async execute(): Promise<Verification> {
    const total = await this.source.countPets();
    let [pets, verified, onBoth, missing, different] = [0, 0, 0, 0, 0];
    let firstMissing: bigint | undefined;
    const differences: Difference[] = [];
    for await (const { id, one, other } of inStep(this.source, this.target)) {
      if (++pets % STEP === 0) this.progressed({ phase: "verifying", pets, total });
      if (!other) {
        missing++;
        firstMissing ??= id;
        continue;
      }
      if (one) onBoth++;
      const difference = one ? differingMember(one, other) : "target";
      if (!difference) verified++;
      else if (++different <= NAMED_MOST) differences.push({ id, in: difference });
    }
    this.progressed({ phase: "verifying", pets, total });
    const idsBehind = (await this.target.highestId()) < (await this.source.highestId());
    const since = Math.max(0, (await this.source.countPets()) - total);
    return { verified, onBoth, missing, firstMissing, different, differences, since, idsBehind };
  }
}
