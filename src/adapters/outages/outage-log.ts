import type { StorageLog } from "../../application/ports/storage-adapter.js";

/** How long nothing may have failed before an outage counts as over, in milliseconds. */
const STEADY = 5000;

/** Logs that something fails once, however many requests meet it, and once that it is over. */
export class OutageLog {
  private failing = false;
  private requests = 0;
  private lastFailure = 0;

  constructor(
    private readonly log: StorageLog,
    private readonly began: string,
    private readonly ended: string,
  ) {}

  begin(reason: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.requests = 0;
    this.log.error({ err: reason }, this.began);
  }

  /** To be told of every request that failed so; the reason of the first begins the outage. */
  met(reason?: unknown): void {
    if (reason) this.begin(reason);
    this.requests++;
    this.lastFailure = performance.now();
  }

  /** To be told of every success: one between failures ends nothing. */
  worked(): void {
    if (this.failing && performance.now() - this.lastFailure >= STEADY) this.over();
  }

  over(): void {
    if (!this.failing) return;
    this.failing = false;
    this.log.info({ failedRequests: this.requests }, this.ended);
  }
}
