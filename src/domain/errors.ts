/** Driving adapters map these codes to their protocol. */
export type ErrorCode =
  | "invalid_field"
  | "invalid_parameter"
  | "pet_not_found"
  | "idempotency_key_reused"
  | "storage_unavailable";

/** Marks a `PetstoreError` across copies of this package, where `instanceof` fails. */
const BRAND = Symbol.for("petstore.PetstoreError");

/**
 * An error for clients. `message` names the field, the rule and the remedy, and never repeats the input;
 * `cause` is only for the operator's log.
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

/** Whether the storage could not run an operation; the caller may retry. */
export function isStorageUnavailable(error: unknown): error is PetstoreError {
  return isPetstoreError(error) && error.code === "storage_unavailable";
}

/**
 * Returns the error of a storage that is unreachable or rejects operations. A failed create may have stored
 * its pet; an idempotency record makes it safe to retry.
 */
export function storageUnavailable(cause: unknown): PetstoreError {
  return new PetstoreError("storage_unavailable", "The storage cannot be used now; try again later.", {
    cause,
  });
}
