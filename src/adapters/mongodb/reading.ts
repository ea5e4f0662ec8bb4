import {
  BSON,
  type Collection,
  type Document,
  type Filter,
  type FindCursor,
  type FindOptions,
  Int32,
  Long,
} from "mongodb";
import type { StorageLog } from "../../application/ports/storage.js";
import { DatabaseError } from "./errors.js";

/** A document of a collection that keeps a resource. */
export interface KeptDocument {
  readonly _id: bigint;
}

/** How long an operation may take as a whole, in milliseconds; the driver may try it twice. */
export const DEADLINE = 4000;

/** The largest batch: the server takes an int32, and no more documents than this fit into its 16 MB. */
const BATCH_MOST = 200_000;

/** How many documents to read at a time if malformed ones leave a page unfilled. */
const REFILL = 1000;

/**
 * Options to read documents: numbers keep their BSON type. Otherwise a double, which its writer may have
 * rounded, looks like a 32-bit integer. A name that is not UTF-8 must not fail its page.
 */
const EXACT = {
  promoteValues: false,
  promoteLongs: false,
  useBigInt64: false,
  validation: { utf8: false },
} as const;

/** Reads a document of a cursor that was made with `raw`. Each number keeps its BSON type. */
export async function readExactly(cursor: FindCursor<unknown>): Promise<Document[]> {
  const found = (await cursor.toArray()) as Uint8Array[];
  return found.map((bytes) => BSON.deserialize(bytes, EXACT));
}

/**
 * Reads the first `limit` documents after an id, in ascending order of id.
 *
 * @param where the filter, beside the id
 * @param options of the find, with `raw`
 * @param toItem undefined for a malformed document, which is left out
 */
export async function readRange<Kind extends KeptDocument, Item>(
  collection: Collection<Kind>,
  where: Filter<Kind>,
  options: FindOptions,
  { after, limit }: { readonly after: bigint; readonly limit: number },
  toItem: (document: Document) => Item | undefined,
): Promise<Item[]> {
  const found: Item[] = [];
  // Only ends the reading, which nobody awaits any more: `Connection` has given up the operation by then.
  const deadline = performance.now() + DEADLINE;
  let from: bigint = after > 0n ? after : 0n;
  for (let size = limit; performance.now() < deadline; size = REFILL) {
    // One batch if possible; otherwise the driver asks by a second command whether there is more.
    const page = {
      ...options,
      sort: { _id: 1 },
      limit: size,
      batchSize: Math.min(size, BATCH_MOST),
    } as const;
    const documents = await readExactly(collection.find({ ...where, _id: { $gt: from } }, page));
    for (const document of documents) {
      const one = toItem(document);
      if (one) found.push(one);
    }
    const last = documents.at(-1);
    if (found.length >= limit || documents.length < size || !last) return found.slice(0, limit);
    // The last `_id` keeps its BSON type, and goes back to the server as it came.
    from = last._id;
  }
  throw new DatabaseError("too many malformed documents in a row to fill a page");
}

export function toInt64(value: unknown): bigint | undefined {
  // Long's own toBigInt goes through decimal text, at a multiple of the cost.
  if (value instanceof Long) return (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
  if (value instanceof Int32) return BigInt(value.value);
  return undefined;
}

/** How many documents the log names; more are only counted. */
const NAMED_MOST = 1000;

/** Counts documents of pets that `toPet` finds malformed, as another writer left them; names each in the log once. */
export class MalformedDocuments {
  private readonly named = new Set<string>();

  /** How often a read has skipped a malformed document. */
  skipped = 0;

  constructor(private readonly log: StorageLog) {}

  skip(_id: unknown): void {
    this.skipped++;
    const id = String(_id);
    if (this.named.has(id) || this.named.size === NAMED_MOST) return;
    this.named.add(id);
    this.log.warn(
      { _id: id, skipped: this.skipped },
      "malformed document in pets skipped; give it the members and types that the collection's validator asks for, or remove it",
    );
  }
}
