import { PetstoreError } from "./errors.js";
import { isInt64 } from "./int64.js";
import { brokenNameRule } from "./name.js";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** The status of a pet that was created without one. */
const DEFAULT_STATUS: PetStatus = "available";

/** A pet as a client describes it, unchecked. */
export interface PetDraft {
  readonly name: string;
  /** Any int64: there is no resource of categories. */
  readonly categoryId: bigint;
  readonly status?: PetStatus | undefined;
}

/** A valid pet that has no id yet. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/** A pet of the catalogue. It never changes. */
export interface Pet extends NewPet {
  /** From 1 to `LAST_ID`, never reused. */
  readonly id: bigint;
}

/** Checks a draft against every rule, and fills in the default status. @throws PetstoreError `invalid_field` */
export function newPet({ name, categoryId, status = DEFAULT_STATUS }: PetDraft): NewPet {
  const broken = brokenNameRule(name);
  if (broken) throw new PetstoreError("invalid_field", `name must ${broken}.`);
  if (!isInt64(categoryId)) {
    throw new PetstoreError("invalid_field", "categoryId must be an integer from -2^63 to 2^63-1.");
  }
  if (!PET_STATUSES.includes(status)) {
    throw new PetstoreError("invalid_field", `status must be one of ${PET_STATUSES.join(", ")}.`);
  }
  return { name, categoryId, status };
}
