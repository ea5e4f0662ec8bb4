import { MongoServerError } from "mongodb";

/** A fault of the database that the driver does not report; for the log. */
export class DatabaseError extends Error {}

/** A failure that waiting does not mend; the message says what to do. */
export class RefusedError extends Error {}

/** The server's error codes (error_codes.yml of the MongoDB source) that this adapter distinguishes. */
export const CODE = {
  BadValue: 2,
  NamespaceNotFound: 26,
  NamespaceExists: 48,
  DocumentValidationFailure: 121,
  DuplicateKey: 11000,
  /** The code that DocumentDB's engine, as behind FerretDB, uses in place of 121. */
  DocumentDbValidationFailure: 525074461,
};

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

/** Whether inserts have met under one unique key in DocumentDB's engine, as behind FerretDB. It has stored nothing. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof MongoServerError && error.message.includes("deadlock detected");
}
