import { PetstoreError } from "./errors.js";
import { isInt64 } from "./int64.js";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** The status of a pet that was created without one. */
const DEFAULT_STATUS: PetStatus = "available";

/** The longest name, in Unicode code points. */
const NAME_MAX_LENGTH = 255;

/** The highest id of a pet: below 2^53, where a double is exact. */
export const LAST_ID = 2n ** 53n - 1n;

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

function brokenNameRule(name: string): string | undefined {
  if (!/\P{White_Space}/u.test(name)) return "hold at least one character that is not white space";
  if ([...name].length > NAME_MAX_LENGTH) {
    return `be at most ${NAME_MAX_LENGTH} characters (Unicode code points) long`;
  }
  if (/\p{Cc}/u.test(name)) return "hold no control characters";
  if (!name.isWellFormed()) return "be well-formed Unicode, without lone surrogates";
  return undefined;
}
