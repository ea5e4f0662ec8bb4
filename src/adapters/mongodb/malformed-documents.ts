import type { StorageLog } from "../../storages/storage-adapter.js";

/** How many documents the log names; more are only counted. */
const NAMED_MOST = 1000;

/** Counts documents that `toPet` finds malformed, as another writer left them; names each in the log once. */
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
