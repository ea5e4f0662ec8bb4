import { MongoError, MongoNetworkError, MongoServerError, MongoWriteConcernError } from "mongodb";

/** What is wrong with the database beyond what the driver reports; for the log. */
export class DatabaseError extends Error {
  override readonly name: string = "DatabaseError";
}

/** A document that is in the way of a write, and cannot be read yet: its own write is not acknowledged. */
export class NotReadableYetError extends DatabaseError {
  override readonly name = "NotReadableYetError";
}

/** No id is left for a create without a key that makes its own. */
export class NoIdLeftError extends DatabaseError {
  override readonly name = "NoIdLeftError";
}

/** What waiting does not mend; its message says what to do. */
export class RefusedError extends Error {}

/** Server error codes (error_codes.yml of the MongoDB source) that are told apart here. */
export const CODE = {
  BadValue: 2,
  TypeMismatch: 14,
  NamespaceNotFound: 26,
  CannotCreateIndex: 67,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  DocumentValidationFailure: 121,
  DuplicateKey: 11000,
  /** DocumentDB's engine, as behind FerretDB, for 121. */
  DocumentDbValidationFailure: 525074461,
};

/**
 * Codes after which the same command may succeed: LockTimeout, MaxTimeMSExpired, ShutdownInProgress, WriteConflict,
 * PrimarySteppedDown, NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange,
 * NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary.
 */
const TRANSIENT_CODES = new Set([24, 50, 91, 112, 189, 10107, 11600, 11602, 13435, 13436]);

export function hasCode(error: unknown, code: number): boolean {
  return codeOf(error) === code;
}

function codeOf(error: unknown): number | undefined {
  return error instanceof MongoServerError ? Number(error.code) : undefined;
}

/**
 * Whether trying again may help. What the command was to do may have been done, or may still be: only its answer
 * is missing.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoWriteConcernError) return true;
  if (error instanceof NotReadableYetError || isOfSocket(error)) return true;
  if (!(error instanceof MongoServerError)) return false;
  return (
    TRANSIENT_CODES.has(Number(error.code)) ||
    error.hasErrorLabel("RetryableWriteError") ||
    // DocumentDB's engine, as behind FerretDB: inserts that meet under one unique key.
    error.message.includes("deadlock detected")
  );
}

/** Whether the driver let an error of a socket through as it came, such as `Error: write ECONNRESET`. */
function isOfSocket(error: unknown): boolean {
  return error instanceof Error && !(error instanceof MongoError) && "syscall" in error;
}

/** Whether all connections of the pool are in use, and stayed so. The driver does not export the class. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.name === "MongoWaitQueueTimeoutError";
}
