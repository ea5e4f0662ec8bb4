/** The codes of the core's errors. A driving adapter maps them to its protocol. */
export type ErrorCode =
  | "invalid_field"
  | "invalid_parameter"
  | "pet_not_found"
  | "idempotency_key_reused"
  | "storage_unavailable";

/** Marks a `PetstoreError` across copies of this package, where `instanceof` fails. */
const BRAND = Symbol.for("petstore.PetstoreError");

/**
 * A failure that clients see. `message` names the field and the rule, says what to do next, and never repeats the client's
 * input; `cause` is only for the operator's log.
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

export function isPetstoreError(error: unknown): error is PetstoreError {
  return error instanceof Error && BRAND in error;
}

/** Whether the storage was unable to do an operation now; the caller may retry. */
export function isStorageUnavailable(error: unknown): error is PetstoreError {
  return isPetstoreError(error) && error.code === "storage_unavailable";
}

/**
 * The storage is unreachable, or rejects operations. A failed create may still have stored its pet, if only the response
 * was lost; an idempotency record makes it safe to retry.
 */
export function storageUnavailable(cause: unknown): PetstoreError {
  return new PetstoreError("storage_unavailable", "The storage cannot be used now; try again later.", {
    cause,
  });
}
