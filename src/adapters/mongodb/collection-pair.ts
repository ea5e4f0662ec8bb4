import type { Collection, Db, Document, Filter, IndexDescription, Long, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { Ids } from "./ids.js";

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

interface Stored extends Document {
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

interface Named extends Document {
  readonly _id: string;
}

/** Options for every read: exact integers, and a time limit for the server, in milliseconds. */
export const READ = { promoteLongs: false, maxTimeMS: 2500 } as const;

const READ_ITEM = { ...READ, projection: { creation: 0, idempotency: 0 } } as const;

/** The collections of a resource. A key's document has all that a retry needs to store the item. */
export class CollectionPair {
  readonly items: Collection<Stored>;
  /** Each claims an idempotency key, its `_id`, which is unique on a sharded cluster, too. */
  readonly keys: Collection<Named>;
  readonly counters: Collection<Named>;
  readonly counter: { readonly _id: string };

  constructor(
    db: Db,
    readonly resource: Resource,
    readonly ids: Ids,
  ) {
    this.items = db.collection(resource.name);
    this.keys = db.collection(`${resource.name}_keys`);
    this.counters = db.collection("counters");
    this.counter = { _id: resource.name };
  }

  get(id: bigint): Promise<Stored | null> {
    return this.items.findOne({ _id: id }, READ_ITEM);
  }

  list(
    filter: Filter<Stored>,
    after: bigint,
    limit: number,
    options: typeof READ = READ_ITEM,
  ): Promise<Stored[]> {
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.items.find({ ...filter, _id: { $gt: after } }, page).toArray();
  }

  toItem({ idempotency, ...document }: Stored): Item {
    return withRecord(this.resource.toItem(document), idempotency);
  }

  toClaim({ _id, fingerprint, [this.resource.member]: item }: Named): Claim {
    return { ...this.resource.toItem(item), idempotency: { key: _id, fingerprint } };
  }

  toStoredClaim({ idempotency: { key, fingerprint }, ...item }: Claim): Named {
    return { _id: key, fingerprint, [this.resource.member]: item };
  }
}

export function withRecord(item: Item, record: IdempotencyRecord | undefined): Item {
  return record ? { ...item, idempotency: { key: record.key, fingerprint: record.fingerprint } } : item;
}

export function toBigInt(value: Integer): bigint {
  return typeof value === "object" ? value.toBigInt() : BigInt(value);
}
