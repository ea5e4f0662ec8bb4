import { isDeepStrictEqual } from "node:util";
import type { Stored } from "../../application/archives.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import { LAST_ID } from "../../domain/pet.js";

/** Frozen items with their ids and idempotency records. Lists can be filtered by `filterOf`. */
export class Collection<Item extends object> {
  /** In ascending order of id: all, and those of each value of the filter. */
  private readonly lists = new Map<string | undefined, Stored<Item>[]>();
  private readonly byKey = new Map<string, Stored<Item>>();
  highestId = 0n;

  constructor(private readonly filterOf: (item: Item) => string) {}

  create(item: Item, record?: IdempotencyRecord) {
    const earlier = record && this.byKey.get(record.key);
    if (earlier) return { item: earlier.item, earlierFingerprint: earlier.record?.fingerprint };
    if (this.highestId >= LAST_ID) throw storageUnavailable(new Error("No id is left below 2^53."));
    return { item: this.add(this.highestId + 1n, item, record), earlierFingerprint: undefined };
  }

  get(id: bigint): Stored<Item> | undefined {
    return this.range({ after: id - 1n, limit: 1 }).find(({ item }) => item.id === id);
  }

  /** The first items after an id. */
  range({ after, limit }: { after: bigint; limit: number }, filter?: string): Stored<Item>[] {
    const list = this.lists.get(filter) ?? [];
    const start = indexAfter(list, after);
    return list.slice(start, start + limit);
  }

  /** Returns the id of the first item that conflicts with a stored one, at which it stops; undefined if none does. */
  store(items: readonly Stored<Item>[]): bigint | undefined {
    for (const { item, record } of items) {
      const stored = this.get(item.id);
      if (stored && isDeepStrictEqual(stored, { item, record })) continue;
      if (stored || (record && this.byKey.has(record.key))) return item.id;
      this.add(item.id, item, record);
    }
    return undefined;
  }

  private add(id: bigint, item: Item, record: IdempotencyRecord | undefined) {
    const stored = { item: Object.freeze({ ...item, id }), record: record && { ...record } };
    for (const filter of [undefined, this.filterOf(item)]) {
      const list = this.lists.get(filter) ?? [];
      list.splice(indexAfter(list, id), 0, stored);
      this.lists.set(filter, list);
    }
    if (record) this.byKey.set(record.key, stored);
    if (id > this.highestId) this.highestId = id;
    return stored.item;
  }
}

/** The index of the first item with a greater id. */
function indexAfter(list: readonly Stored<object>[], id: bigint): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.item.id ?? 0n) <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
