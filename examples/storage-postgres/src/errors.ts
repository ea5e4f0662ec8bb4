import { PetConflict } from "petstore/storage";
import pg from "pg";

/** The database cannot be used as it stands; the message says what to correct. */
export class UnusableDatabase extends Error {}

/** The sequence of ids has come to its end. Its class is 22, although no sent value is wrong. */
const NO_ID_LEFT = "2200H";

/**
 * Whether the sent values are wrong, so that waiting does not help: data exceptions, broken constraints,
 * conflicts. Any other error means that the storage cannot be used now.
 */
export function isOwnFault(error: unknown): boolean {
  const code = sqlState(error);
  return error instanceof PetConflict || (code !== NO_ID_LEFT && /^2[23]/.test(code));
}

/**
 * Whether the statement did nothing, and may do it if it is sent again: a deadlock (two inserts that wait for each
 * other's keys), a failed serialisation, or an id that a pet of another writer has.
 */
export function isWorthRepeating(error: unknown): boolean {
  const code = sqlState(error);
  return code === "40P01" || code === "40001" || (code === "23505" && constraintOf(error) === "pets_pkey");
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html; "" of an error that is not PostgreSQL's own. */
function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? "") : "";
}

function constraintOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}
