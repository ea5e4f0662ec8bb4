import { isDeepStrictEqual } from "node:util";
import { type Collection, type Db, type Filter, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { type Item, type Named, READ, type Resource, type Stored } from "./documents.js";
import type { Ids } from "./ids.js";
import { CODES, Conflict, hasCode, isStored, PermanentError, retry } from "./mongodb-errors.js";

/** The collections of a resource. */
export class CollectionPair {
  readonly items: Collection<Stored>;
  /** Each claims an idempotency key, its `_id`, with all that a retry needs to store the item. */
  private readonly keys: Collection<Named>;
  /** Where a claim has the id of its item. */
  private readonly idPath: string;

  constructor(
    private readonly db: Db,
    private readonly resource: Resource,
    private readonly ids: Ids,
  ) {
    this.items = db.collection(resource.name);
    this.keys = db.collection(`${resource.name}_keys`);
    this.idPath = `${resource.member}._id`;
  }

  list(filter: Filter<Stored>, after: bigint, limit: number, options: typeof READ): Promise<Stored[]> {
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.items.find({ ...filter, _id: { $gt: after } }, page).toArray();
  }

  /**
   * Stores an item. With a record, first claims the key with all that a retry needs to store the item; if an earlier create
   * has claimed it, stores the item of that one, unless it exists.
   *
   * @param members of the item; it gets a new id
   */
  async create(members: Item): Promise<{ item: Item; earlierFingerprint: string | undefined }> {
    const creation = new ObjectId();
    const _id = await this.ids.take(this.db);
    const record = members.idempotency;
    let item: Item = { ...members, _id };
    if (record) item = await this.claim(item, record);
    const earlierFingerprint = item._id === _id ? undefined : item.idempotency?.fingerprint;
    return retry(async () => {
      if (await isStored(this.items.insertOne({ ...item, creation }))) return { item, earlierFingerprint };
      const existing = await this.items.findOne({ _id: item._id }, READ);
      if (!existing) return undefined;
      const isSame = record ? existing.idempotency?.key === record.key : creation.equals(existing.creation);
      if (isSame) return { item, earlierFingerprint };

      // The item of another program has the id. If another process moves the claim first, that counts.
      await this.ids.raise(this.db, await this.ids.highest(this.db));
      const moved = { ...item, _id: await this.ids.take(this.db) };
      if (!record) item = moved;
      else {
        const claim = { _id: record.key, [this.idPath]: item._id };
        await this.keys.updateOne(claim, { $set: { [this.idPath]: moved._id } });
        item = await this.claim(moved, record);
      }
      return undefined;
    });
  }

  /** Stores items under their ids: one command claims their keys, another inserts them. @throws Conflict */
  async store(items: readonly Item[]): Promise<void> {
    // Before the first insert, so that no create gives one of these ids.
    await this.ids.raise(this.db, items.at(-1)?._id ?? 0n);
    await retry(async () => {
      const missing = await this.findMissing(items);
      if (missing.length === 0) return true;
      const claims = missing.flatMap((item) =>
        item.idempotency ? this.toClaim(item, item.idempotency) : [],
      );
      if (claims.length > 0 && !(await this.claimAll(claims))) return undefined;
      return (await isStored(this.items.insertMany(missing, { ordered: false }))) || undefined;
    }).catch((error) => {
      if (!hasCode(error, CODES.invalid)) throw error;
      const { name } = this.resource;
      throw new PermanentError(
        `The validator of the collection ${name} rejects a document: ${error.message}`,
      );
    });
  }

  private async findMissing(items: readonly Item[]): Promise<Item[]> {
    const filter = { _id: { $in: items.map(({ _id }) => _id) } };
    const found = await this.items.find(filter, { ...READ, batchSize: items.length + 1 }).toArray();
    const stored = new Map(found.map(this.resource.toItem).map((item) => [item._id, item]));
    return items.filter((item) => {
      const existing = stored.get(item._id);
      if (existing && !isDeepStrictEqual(existing, item)) throw new Conflict(item._id);
      return !existing;
    });
  }

  /** Resolves to what has the key then: this item, or an earlier one. */
  private claim(item: Item, record: IdempotencyRecord): Promise<Item> {
    return retry(async () => {
      if (await isStored(this.keys.insertOne(this.toClaim(item, record)))) return item;
      const claim = await this.keys.findOne({ _id: record.key }, READ);
      return claim ? this.toItem(claim) : undefined;
    });
  }

  /** Resolves to whether the keys have these claims. */
  private async claimAll(claims: readonly Named[]): Promise<boolean> {
    if (await isStored(this.keys.insertMany(claims, { ordered: false }))) return true;
    const filter = { _id: { $in: claims.map(({ _id }) => _id) } };
    const found = await this.keys.find(filter, { ...READ, batchSize: claims.length + 1 }).toArray();
    const existing = new Map(found.map((claim) => [claim._id, this.toItem(claim)]));
    const others = claims.filter((claim) => !isDeepStrictEqual(existing.get(claim._id), this.toItem(claim)));
    for (const claim of others) {
      const item = existing.get(claim._id);
      if (!item) continue;
      const { _id, ...members } = claim;
      const stored = await this.items.findOne({ _id: item._id, "idempotency.key": _id }, READ);
      if (stored || claims.some((wanted) => isDeepStrictEqual(this.toItem(wanted), item)))
        throw new Conflict(this.toItem(claim)._id);
      // Orphaned: the create that claimed the key died before it stored its item.
      await this.keys.updateOne({ _id, [this.idPath]: item._id }, { $set: members });
    }
    return others.length === 0;
  }

  private toClaim({ idempotency, ...item }: Item, { key, fingerprint }: IdempotencyRecord): Named {
    return { _id: key, fingerprint, [this.resource.member]: item };
  }

  private toItem({ _id, fingerprint, [this.resource.member]: item }: Named): Item {
    return this.resource.toItem({ ...item, idempotency: { key: _id, fingerprint } });
  }
}
