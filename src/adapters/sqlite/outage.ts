import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { storageUnavailable } from "../../domain/errors.js";

/** How long nothing may have failed before an outage counts as over, in milliseconds. */
const STEADY = 5000;

/** Tells the log once that something fails, however many requests it fails, and once that it is over. */
export class Outage {
  private failing = false;
  private lastFailure = 0;

  constructor(
    private readonly log: StorageLog,
    /** What fails, e.g. "pets cannot be read". */
    private readonly what: string,
  ) {}

  /** What the caller is told: without the cause, which the log has now. */
  failed(err: unknown): Error {
    this.lastFailure = performance.now();
    if (!this.failing) this.log.error({ err }, `SQLite: ${this.what}`);
    this.failing = true;
    return storageUnavailable(undefined);
  }

  /** To be told of every success: one between failures ends nothing. */
  worked(): void {
    if (!this.failing || performance.now() - this.lastFailure < STEADY) return;
    this.failing = false;
    this.log.info(`SQLite: over: ${this.what}`);
  }
}
