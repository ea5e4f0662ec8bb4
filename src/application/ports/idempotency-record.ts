/** Identifies a repeated create. The storage keeps it as long as what the create stored. */
export interface IdempotencyRecord {
  /** Unique per caller and key, opaque, at most 64 ASCII characters. */
  readonly key: string;
  /** Equal if two creates have the same content, opaque, at most 64 ASCII characters. */
  readonly fingerprint: string;
}

/** A stored item with the record of its create; undefined if it had none. */
export interface Stored<Item = object> {
  readonly item: Item & { readonly id: bigint };
  readonly record: IdempotencyRecord | undefined;
}
