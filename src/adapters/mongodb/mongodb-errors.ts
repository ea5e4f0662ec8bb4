import { setTimeout as sleep } from "node:timers/promises";
import { MongoServerError, MongoServerSelectionError } from "mongodb";

/** A failure that a retry does not fix. The message says what to do. */
export class PermanentError extends Error {}

/** Different content is stored under the id of an item, or under the key of its record. */
export class Conflict extends PermanentError {
  constructor(readonly id: bigint) {
    super();
  }
}

/** The driver names a server that it could not reach; otherwise it only says that server selection timed out. */
export function explain(error: unknown): unknown {
  if (!(error instanceof MongoServerSelectionError) || error.cause || !error.reason?.setName) return error;
  const { servers, setName } = error.reason;
  const members = [...servers.keys()].join(", ") || "the servers in the URL; check replicaSet";
  return new Error(`the replica set ${setName} has no primary among ${members}`, { cause: error });
}

/** Error codes of the server, from MongoDB's src/mongo/base/error_codes.yml; the second one of `invalid` is FerretDB's. */
export const CODES = { unauthorized: [13], exists: [48], invalid: [121, 525_074_461], duplicate: [11_000] };

export function hasCode(error: unknown, codes: readonly unknown[]): boolean {
  return error instanceof MongoServerError && codes.includes(error.code);
}

/** Ignores errors with these codes, and rethrows others. */
export const ignore = (codes: readonly number[]) => (error: unknown) => {
  if (!hasCode(error, codes)) throw error;
};

/** Resolves to whether an insert stored its documents; false if another document has the same `_id`. */
export function isStored(insert: Promise<unknown>): Promise<boolean> {
  const isRefused = (error: Error) => {
    // FerretDB may abort one of two conflicting inserts as a deadlock; it has stored nothing.
    if (!hasCode(error, CODES.duplicate) && !error.message.includes("deadlock detected")) throw error;
    return false;
  };
  return insert.then(() => true, isRefused);
}

/** Retries until there is a result. An insert that conflicts with one not yet on a majority has none. */
export async function retry<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (const pause of [20, 40, 80, 160, 320, 640]) {
    const result = await attempt();
    if (result !== undefined) return result;
    await sleep(Math.random() * pause);
  }
  throw new Error("inserts kept conflicting; does the collection have another unique index?");
}
