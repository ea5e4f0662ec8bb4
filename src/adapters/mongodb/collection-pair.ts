import type { Collection, Db, Filter } from "mongodb";
import {
  type Claim,
  type Counted,
  type Item,
  type Named,
  READ,
  type Resource,
  type Stored,
  withRecord,
} from "./documents.js";
import type { Ids } from "./ids.js";

const READ_ITEM = { ...READ, projection: { creation: 0, idempotency: 0 } } as const;

/** The collections of a resource. A key's document has all that a retry needs to store the item. */
export class CollectionPair implements Counted {
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
