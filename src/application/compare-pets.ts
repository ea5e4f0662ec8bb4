import type { NewPet } from "../domain/pet.js";
import { BATCH, pairPets } from "./paired-pets.js";
import type { ArchivedPet, PetArchive } from "./ports/pet-archive.js";

/** A pet that only the target has, or the member in which two pets with the same id differ. */
interface Difference {
  readonly id: bigint;
  readonly in: "target" | keyof NewPet | "record";
}

export interface Comparison {
  /** Pets that are equal on both sides, records included. */
  readonly verified: number;
  /** Pets that only the source has. */
  readonly missing: number;
  readonly firstMissing: bigint | undefined;
  readonly different: number;
  /** The first ten of them. */
  readonly differences: readonly Difference[];
  /** Lower bound on the pets created in the source meanwhile. */
  readonly since: number;
  /** Whether the target may give an id that the source has already given. */
  readonly idsBehind: boolean;
}

/** Called every thousand pets; `total` is an estimate. */
export type OnProgress = (phase: string, pets: number, total: number) => void;

/** Compares two catalogues pet by pet. Writes nothing. */
export class ComparePets {
  constructor(
    private readonly source: PetArchive,
    private readonly target: PetArchive,
    private readonly onProgress: OnProgress,
  ) {}

  async execute(phase = "verifying"): Promise<Comparison> {
    const total = await this.source.countPets();
    let [pets, verified, different] = [0, 0, 0];
    let firstMissing: bigint | undefined;
    const differences: Difference[] = [];
    for await (const { id, source, target } of pairPets(this.source, this.target)) {
      const difference = source && target ? differingMember(source, target) : "target";
      if (!target) firstMissing ??= id;
      else if (!difference) verified++;
      else if (++different <= 10) differences.push({ id, in: difference });
      if (++pets % BATCH === 0) this.onProgress(phase, pets, total);
    }
    const idsBehind = (await this.target.highestId()) < (await this.source.highestId());
    const since = Math.max(0, (await this.source.countPets()) - total);
    const missing = pets - verified - different;
    return { verified, missing, firstMissing, different, differences, since, idsBehind };
  }
}

/** A record, so that the compiler reports a missing member. */
const MEMBERS: Readonly<Record<keyof NewPet, true>> = { name: true, categoryId: true, status: true };
const MEMBER_NAMES = Object.keys(MEMBERS) as (keyof NewPet)[];

/** The first member in which two pets with the same id differ; undefined if they are equal, records included. */
function differingMember(one: ArchivedPet, other: ArchivedPet): keyof NewPet | "record" | undefined {
  const { key, fingerprint } = one.record ?? {};
  const isSameRecord = key === other.record?.key && fingerprint === other.record?.fingerprint;
  const member = MEMBER_NAMES.find((name) => one.pet[name] !== other.pet[name]);
  return member ?? (isSameRecord ? undefined : "record");
}
