import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { storageUnavailable } from "../../domain/errors.js";

/** How long after the last failure an outage counts as over, in milliseconds. */
const STEADY = 5000;

/** Logs an outage once when it begins, however many requests fail, and once when it is over. */
export class Outage {
  private failing = false;
  private lastFailure = 0;

  constructor(
    private readonly log: StorageLog,
    /** The outage in words, e.g. "pets cannot be read". */
    private readonly what: string,
  ) {}

  /** Logs the failure, and gives an error for the caller without the cause, which the log has. */
  failed(err: unknown): Error {
    this.lastFailure = performance.now();
    if (!this.failing) this.log.error({ err }, `SQLite: ${this.what}`);
    this.failing = true;
    return storageUnavailable(undefined);
  }

  /** Ends the outage at a success, unless a request failed shortly before. */
  worked(): void {
    if (!this.failing || performance.now() - this.lastFailure < STEADY) return;
    this.failing = false;
    this.log.info(`SQLite: over: ${this.what}`);
  }
}
