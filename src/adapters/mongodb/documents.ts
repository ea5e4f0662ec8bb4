import type { Collection, Document, IndexDescription, Long, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";

/** How a resource is stored. */
export interface Resource {
  /** Its collection; NAME_keys has its idempotency keys, and the document NAME of `counters` its ids. */
  readonly name: string;
  /** The member that holds the item in the document of a key. */
  readonly member: string;
  /** Serves filtered lists, each as one range in order of id. */
  readonly index: IndexDescription & { readonly key: Readonly<Record<string, 1>> };
  /** As in `$jsonSchema`, for other writers to the collection. */
  readonly required: readonly string[];
  readonly properties: Document;
  /** The resource's own members of a document, as it inserts them. */
  toItem(document: Document): Item;
}

/** The driver writes a bigint as int64 and reads that as a `Long`; it reads the int32 of another program as a number. */
export type Integer = bigint | Long | number;

export interface Stored extends Document {
  readonly _id: Integer;
  /** Lets a create recognise its own document if the server ran the insert twice. */
  readonly creation?: ObjectId;
  readonly idempotency?: IdempotencyRecord;
}

/** The members of an item as a resource defines them, and the record of its create. */
export interface Item extends Stored {
  readonly _id: bigint;
}

/** An item whose create had an idempotency key. */
export type Claim = Item & { readonly idempotency: IdempotencyRecord };

export interface Named extends Document {
  readonly _id: string;
}

/** Options for every read: exact integers, and a time limit for the server, in milliseconds. */
export const READ = { promoteLongs: false, maxTimeMS: 2500 } as const;

/** What ids are counted by. */
export interface Counted {
  readonly items: Collection<Stored>;
  readonly counters: Collection<Named>;
  /** The filter for the counter. */
  readonly counter: { readonly _id: string };
}

export function withRecord(item: Item, record: IdempotencyRecord | undefined): Item {
  return record ? { ...item, idempotency: { key: record.key, fingerprint: record.fingerprint } } : item;
}

export function toBigInt(value: Integer): bigint {
  return typeof value === "object" ? value.toBigInt() : BigInt(value);
}
