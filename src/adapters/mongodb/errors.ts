import { MongoError, MongoNetworkError, MongoServerError, MongoWriteConcernError } from "mongodb";

/** A fault of the database that the driver does not report; for the log. */
export class DatabaseError extends Error {}

/** A write meets a document that nobody can read yet, since the write of that document is not acknowledged. */
export class NotReadableYetError extends DatabaseError {}

/** No id is left in the sequence. Only creates with a key that makes its own id can go on. */
export class NoIdLeftError extends DatabaseError {}

/** A failure that waiting does not mend; the message says what to do. */
export class RefusedError extends Error {}

/** The server's error codes (error_codes.yml of the MongoDB source) that this adapter distinguishes. */
export const CODE = {
  BadValue: 2,
  TypeMismatch: 14,
  NamespaceNotFound: 26,
  CannotCreateIndex: 67,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  DocumentValidationFailure: 121,
  DuplicateKey: 11000,
  /** The code that DocumentDB's engine, as behind FerretDB, uses in place of 121. */
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
 * Whether another try may help. The server may have carried the command out, or may still do so: only the
 * answer is missing.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoWriteConcernError) return true;
  if (error instanceof NotReadableYetError || isOfSocket(error)) return true;
  if (!(error instanceof MongoServerError)) return false;
  return (
    TRANSIENT_CODES.has(Number(error.code)) ||
    error.hasErrorLabel("RetryableWriteError") ||
    // DocumentDB's engine, as behind FerretDB, if inserts meet under one unique key.
    error.message.includes("deadlock detected")
  );
}

/** Whether the error comes from a socket, unwrapped by the driver, such as `Error: write ECONNRESET`. */
function isOfSocket(error: unknown): boolean {
  return error instanceof Error && !(error instanceof MongoError) && "syscall" in error;
}

/** Whether no connection became free in time. The driver does not export the class of the error. */
export function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.name === "MongoWaitQueueTimeoutError";
}
