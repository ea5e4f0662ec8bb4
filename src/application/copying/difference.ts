import type { NewPet } from "../../domain/pet.js";
import type { ArchivedPet } from "../ports/pet-archive.js";

/** A difference between both sides in one pet. It names no values. */
export interface Difference {
  readonly id: bigint;
  /** `target` if only the target has the pet, `source` if only the source has it, or else the member that differs. */
  readonly in: "target" | "source" | Member;
}

type Member = keyof NewPet | "record" | "record.key" | "record.fingerprint";

/** The compiler asks for a member that is missing here. */
const MEMBERS: Readonly<Record<keyof NewPet, true>> = { name: true, categoryId: true, status: true };

/** The first member in which two pets with the same id differ; undefined if they are the same. */
export function differingMember(
  { pet: one, record: oneRecord }: ArchivedPet,
  { pet: other, record: otherRecord }: ArchivedPet,
): Member | undefined {
  const differing = (Object.keys(MEMBERS) as (keyof NewPet)[]).find((name) => one[name] !== other[name]);
  if (differing) return differing;
  if (!oneRecord || !otherRecord) return oneRecord === otherRecord ? undefined : "record";
  if (oneRecord.key !== otherRecord.key) return "record.key";
  return oneRecord.fingerprint === otherRecord.fingerprint ? undefined : "record.fingerprint";
}
