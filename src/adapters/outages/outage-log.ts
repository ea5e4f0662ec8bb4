import type { StorageLog } from "../../application/ports/storage-adapter.js";

/** How long after the last failure an outage counts as over, in milliseconds. */
const STEADY = 5000;

/** Logs an outage once when it begins, however many requests fail, and once when it is over. */
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

  /** Counts a request that failed. The first one with a reason begins the outage. */
  met(reason?: unknown): void {
    if (reason) this.begin(reason);
    this.requests++;
    this.lastFailure = performance.now();
  }

  /** Ends the outage at a success, unless a request failed shortly before. */
  worked(): void {
    if (this.failing && performance.now() - this.lastFailure >= STEADY) this.over();
  }

  over(): void {
    if (!this.failing) return;
    this.failing = false;
    this.log.info({ failedRequests: this.requests }, this.ended);
  }
}
