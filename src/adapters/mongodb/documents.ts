import type { Document, IndexDescription, Long, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";

/** How a resource is stored. */
export interface Resource {
  /** Its collection; NAME_keys has its idempotency keys, and the document NAME of `counters` its ids. */
  readonly name: string;
  /** The member that holds the item in the document of a key. */
  readonly member: string;
  /** Serves filtered lists, each as one range in order of id. */
  readonly index: IndexDescription & { readonly key: Readonly<Record<string, 1>> };
  /** Its own members, as in `$jsonSchema`, for other writers to the collection. */
  readonly schema: { readonly required: readonly string[]; readonly properties: Document };
  /** A document as the resource inserts it, with its record and nothing else. */
  toItem(document: Document): Item;
}

/** The driver writes a bigint as int64 and reads that as a `Long`; it reads the int32 of another program as a number. */
type Integer = bigint | Long | number;

export interface Stored extends Document {
  readonly _id: Integer;
  /** Lets a create recognise its own document if the server ran the insert twice. */
  readonly creation?: ObjectId;
  readonly idempotency?: IdempotencyRecord;
}

export interface Item extends Stored {
  readonly _id: bigint;
}

export type Named = Document & { readonly _id: string };

/** Options for every read: exact integers, and a time limit for the server, in milliseconds. */
export const READ = { promoteLongs: false, maxTimeMS: 2500 } as const;

/** Leaves out what only creates and copies read: a list takes a fifth less time. */
export const READ_ITEM = { ...READ, projection: { creation: 0, idempotency: 0 } } as const;

export function toBigInt(value: Integer): bigint {
  return typeof value === "object" ? value.toBigInt() : BigInt(value);
}
