import type {
  Collection,
  Db,
  Document,
  Filter,
  FindOptions,
  IndexDescription,
  Long,
  ObjectId,
} from "mongodb";
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

/** Claims an idempotency key, with all that a retry needs to store the item. */
interface StoredClaim extends Document {
  /** The key: only the `_id` is unique on a sharded cluster. */
  readonly _id: string;
  readonly fingerprint: string;
}

/** `next` is the first id of the next block. */
interface Counter {
  readonly _id: string;
  readonly next: Integer;
}

/** Options for every read: exact integers, and a time limit for the server, in milliseconds. */
export const READ = { promoteLongs: false, maxTimeMS: 2500 } as const;

const READ_ITEM: FindOptions = { ...READ, projection: { creation: 0, idempotency: 0 } };

interface Page {
  readonly after: bigint;
  readonly limit: number;
}

/** The collections of a resource: its items, and the idempotency keys that creates have claimed. */
export class CollectionPair {
  readonly items: Collection<Stored>;
  readonly keys: Collection<StoredClaim>;
  readonly counters: Collection<Counter>;

  constructor(
    db: Db,
    readonly resource: Resource,
    readonly ids: Ids,
  ) {
    this.items = db.collection(resource.name);
    this.keys = db.collection(`${resource.name}_keys`);
    this.counters = db.collection("counters");
  }

  get(id: bigint): Promise<Stored | null> {
    return this.items.findOne({ _id: id }, READ_ITEM);
  }

  list(filter: Filter<Stored>, { after, limit }: Page, options = READ_ITEM): Promise<Stored[]> {
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.items.find({ ...filter, _id: { $gt: after } }, page).toArray();
  }

  toItem({ idempotency, ...document }: Stored): Item {
    return withRecord(this.resource.toItem(document), idempotency);
  }

  toClaim({ _id, fingerprint, [this.resource.member]: item }: StoredClaim): Claim {
    return { ...this.resource.toItem(item), idempotency: { key: _id, fingerprint } };
  }

  toStoredClaim({ idempotency: { key, fingerprint }, ...item }: Claim): StoredClaim {
    return { _id: key, fingerprint, [this.resource.member]: item };
  }
}

export function withRecord(item: Item, record: IdempotencyRecord | undefined): Item {
  return record ? { ...item, idempotency: { key: record.key, fingerprint: record.fingerprint } } : item;
}

export function toBigInt(value: Integer): bigint {
  return typeof value === "object" ? value.toBigInt() : BigInt(value);
}
