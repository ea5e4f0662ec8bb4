import { PetstoreError } from "./errors.js";

export const PET_STATUSES = ["available", "pending", "sold"] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** The highest id: below 2^53, where a double is exact. */
export const LAST_ID = 2n ** 53n - 1n;

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The longest name, in Unicode code points. */
const MAX_NAME_LENGTH = 255;

const DEFAULT_STATUS: PetStatus = "available";

/** A pet as a client describes it, unchecked. */
export interface PetDraft {
  readonly name: string;
  /** Any int64, since the API knows no categories. */
  readonly categoryId: bigint;
  readonly status?: PetStatus | undefined;
}

/** A valid pet without an id. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/** A stored pet, which never changes. */
export interface Pet extends NewPet {
  /** From 1 to `LAST_ID`, never reused. */
  readonly id: bigint;
}

/** Validates a draft, and fills in the default status. @throws PetstoreError `invalid_field` */
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

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** Returns the rule that a name breaks, to follow "must"; undefined if it is valid. */
function brokenNameRule(name: string): string | undefined {
  if (!/\P{White_Space}/u.test(name)) return "contain at least one character that is not white space";
  if ([...name].length > MAX_NAME_LENGTH) {
    return `be at most ${MAX_NAME_LENGTH} characters (Unicode code points) long`;
  }
  if (/\p{Cc}/u.test(name)) return "not contain control characters";
  if (!name.isWellFormed()) return "be well-formed Unicode, without lone surrogates";
  return undefined;
}
