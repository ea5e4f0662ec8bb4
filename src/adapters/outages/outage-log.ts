import type { StorageLog } from "../../storages/storage-adapter.js";

/** How long to say nothing more of operations that fail though the storage answers, in milliseconds. */
const SILENCE = 60_000;

/** Logs an outage once when it begins, however many requests fail, and once when it is over. */
export class OutageLog {
  private readonly away = new Set<object>();
  private complained = Number.NEGATIVE_INFINITY;

  constructor(private readonly log: StorageLog) {}

  /** @param part of the storage that is away; an outage lasts until no part is */
  begin(part: object, err: unknown): void {
    if (this.away.size === 0) this.log.error({ err }, "the storage cannot be used; asking until it answers");
    this.away.add(part);
  }

  end(part: object): void {
    if (!this.away.delete(part) || this.away.size > 0) return;
    this.log.info("the storage answers again");
  }

  /** An operation has failed for a reason that a ping does not find, e.g. since the disk is full. */
  complain(err: unknown): void {
    if (performance.now() - this.complained < SILENCE) return;
    this.complained = performance.now();
    this.log.error({ err }, "operations fail, though the storage answers");
  }
}
