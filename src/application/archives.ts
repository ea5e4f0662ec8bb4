import type { IdempotencyRecord } from "./ports/pet-repository.js";

/** A stored item with the record of its create; undefined if it had none. */
export interface Stored<Item = object> {
  readonly item: Item & { readonly id: bigint };
  readonly record: IdempotencyRecord | undefined;
}
