/** The codes of the errors of the core. An adapter for clients maps each code to its protocol. */
export type ErrorCode =
  | "invalid_field"
  | "invalid_parameter"
  | "pet_not_found"
  | "idempotency_key_reused"
  | "storage_unavailable";

/** Marks a `PetstoreError` across copies of this package, which `instanceof` would tell apart. */
const BRAND = Symbol.for("petstore.PetstoreError");

/**
 * A failure that clients learn of. `message` names the field and the rule, says what to do next, and never
 * repeats a value that was sent; `cause` is for the operator's log alone.
 */
export class PetstoreError extends Error {
  readonly [BRAND] = true;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Whether this copy of the package or another one made the error. */
export function isPetstoreError(error: unknown): error is PetstoreError {
  return error instanceof Error && BRAND in error;
}

/** Whether the storage could not do an operation now, so that the caller may ask again. */
export function isStorageUnavailable(error: unknown): error is PetstoreError {
  return isPetstoreError(error) && error.code === "storage_unavailable";
}

/**
 * The storage cannot be reached or refuses to work. The pet of a failed create may be stored all the same, if only the
 * answer was lost; an idempotency record makes it safe to repeat the create.
 */
export function storageUnavailable(cause: unknown): PetstoreError {
  return new PetstoreError("storage_unavailable", "The storage cannot be used now; try again later.", {
    cause,
  });
}
