import { setTimeout as sleep } from "node:timers/promises";
import { MongoServerError, MongoServerSelectionError } from "mongodb";

/** A failure that a retry does not fix. The message says what to do. */
export class PermanentError extends Error {}

/** From MongoDB's src/mongo/base/error_codes.yml; 8000 is that of Atlas, the second one of `invalid` that of FerretDB. */
export const CODES = {
  unauthorized: [13, 8000],
  exists: [48],
  invalid: [121, 525_074_461],
  duplicate: [11_000],
  diskFull: [14_031],
};

function hasCode(error: unknown, codes: readonly unknown[]): error is MongoServerError {
  return error instanceof MongoServerError && codes.includes(error.code);
}

/** Ignores errors with these codes, and rethrows others. */
export const ignore = (codes: readonly number[]) => (error: unknown) => {
  if (!hasCode(error, codes)) throw error;
};

/** Whether the server rejected an insert and certainly stored nothing, which an error of the network leaves open. */
export function isRejection(error: unknown): boolean {
  return hasCode(error, [CODES.unauthorized, CODES.invalid, CODES.duplicate, CODES.diskFull].flat());
}

/** Returns the error for the operator's log. */
export function explain(error: unknown): unknown {
  if (hasCode(error, CODES.invalid))
    return new PermanentError(`The validator of the collection pets rejects a document: ${error.message}`);
  // The driver's message repeats the document.
  if (hasCode(error, CODES.duplicate) && !isIdTaken(error))
    return new PermanentError("A unique index of the collection pets rejects a document; drop it.");
  // The driver names a server that it could not reach; otherwise it only says that server selection timed out.
  if (!(error instanceof MongoServerSelectionError) || error.cause || !error.reason?.setName) return error;
  const { servers, setName } = error.reason;
  const members = [...servers.keys()].join(", ") || "the servers in the URL; check replicaSet";
  return new Error(`the replica set ${setName} has no primary among ${members}`, { cause: error });
}

/** Whether a duplicate is one of `_id`. MongoDB and FerretDB name the index in the message. */
function isIdTaken({ message }: MongoServerError): boolean {
  return !/index(: | ')(?!_id_)/i.test(message);
}

/** Resolves to whether an insert stored its documents; false if another document has the same `_id`. */
export async function isStored(insert: Promise<unknown>): Promise<boolean> {
  try {
    await insert;
    return true;
  } catch (error) {
    if (hasCode(error, CODES.duplicate) && isIdTaken(error)) return false;
    // FerretDB may abort one of two conflicting inserts as a deadlock; it has stored nothing.
    if (error instanceof MongoServerError && error.message.includes("deadlock detected")) return false;
    throw error;
  }
}

/** Retries until there is a result. An insert that conflicts with one not yet on a majority has none. */
export async function retry<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (const pause of [20, 40, 80, 160, 320, 640]) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * pause);
  }
  throw new Error("inserts kept conflicting");
}
