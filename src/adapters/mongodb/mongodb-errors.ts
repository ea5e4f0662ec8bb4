import { setTimeout as sleep } from "node:timers/promises";
import { MongoServerError, MongoServerSelectionError } from "mongodb";

/** A failure that a retry does not fix. The message says what to do. */
export class PermanentError extends Error {}

/** Codes of MongoDB's src/mongo/base/error_codes.yml; 8000 is of Atlas, the second `invalid` of FerretDB. */
const CODES = {
  unauthorized: [13, 8000],
  exists: [48],
  invalid: [121, 525_074_461],
  duplicate: [11_000],
  diskFull: [14_031],
} as const;

function isServerError(error: unknown, ...kinds: (keyof typeof CODES)[]): error is MongoServerError {
  const codes: readonly unknown[] = kinds.flatMap((kind) => CODES[kind]);
  return error instanceof MongoServerError && codes.includes(error.code);
}

/** Ignores errors of a kind, and rethrows others. */
export const ignore = (kind: keyof typeof CODES) => (error: unknown) => {
  if (!isServerError(error, kind)) throw error;
};

/** Another program has added a unique index to the collection. */
class Conflicting extends Error {}

/** Whether an insert certainly stored nothing, which a network error leaves open. */
export function isRejection(error: unknown): boolean {
  return error instanceof Conflicting || isServerError(error, "unauthorized", "invalid", "diskFull");
}

/** Returns the error for the operator's log. */
export function explain(error: unknown): unknown {
  if (isServerError(error, "invalid"))
    return new PermanentError(`The validator of the collection pets rejects a document: ${error.message}`);
  // The driver names an unreachable server; otherwise it says only that the selection timed out.
  if (!(error instanceof MongoServerSelectionError) || error.cause || !error.reason?.setName) return error;
  const { servers, setName } = error.reason;
  const members = [...servers.keys()].join(", ") || "the servers in the URL; check replicaSet";
  return new Error(`the replica set ${setName} has no primary among ${members}`, { cause: error });
}

/** Resolves to whether an insert stored its documents; false if another document has the same `_id`. */
export async function isStored(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (isServerError(error, "duplicate")) return false;
    // FerretDB may abort one of two conflicting inserts as a deadlock; it has stored nothing.
    if (error instanceof MongoServerError && error.message.includes("deadlock detected")) return false;
    throw error;
  }
}

/** Retries while the result is undefined, as when an insert conflicts with one not yet on a majority. */
export async function retry<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (const pause of [20, 40, 80, 160, 320, 640]) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * pause);
  }
  throw new Conflicting("inserts kept conflicting; drop any unique index of the collection pets");
}
