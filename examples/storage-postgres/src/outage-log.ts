import type { StorageLog } from "petstore/storage";

/** How long nothing may have failed before an outage counts as over, in milliseconds. */
const STEADY = 5000;

/** Logs that something fails once, however many requests it fails, and once that it is over. */
export class OutageLog {
  private failing = false;
  private lastFailure = 0;

  constructor(
    private readonly log: StorageLog,
    private readonly began: string,
    private readonly ended: string,
  ) {}

  failed(error: unknown): void {
    this.lastFailure = performance.now();
    if (this.failing) return;
    this.failing = true;
    this.log.error({ reason: String(error) }, this.began);
  }

  /** Ends the outage at a success, unless an operation failed shortly before. */
  worked(): void {
    if (this.failing && performance.now() - this.lastFailure >= STEADY) this.over();
  }

  over(): void {
    if (!this.failing) return;
    this.failing = false;
    this.log.info(this.ended);
  }
}
