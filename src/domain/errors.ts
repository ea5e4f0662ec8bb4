/** What can go wrong in the core. An adapter that faces a client maps each code to its protocol. */
export type ErrorCode =
  | "invalid_field"
  | "invalid_parameter"
  | "pet_not_found"
  | "idempotency_key_reused"
  | "storage_unavailable";

/**
 * A failure that a client is told about. `message` names the field and the rule, says what to do next,
 * and never repeats a value that was sent; `cause` is for the operator's log alone.
 */
export class PetstoreError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The storage cannot be reached or refuses to work. What a create was to store may be there all the same where it was
 * the answer that got lost; an idempotency record makes the repetition safe.
 */
export function storageUnavailable(cause: unknown): PetstoreError {
  return new PetstoreError("storage_unavailable", "The storage cannot be used now; try again later.", {
    cause,
  });
}
