/**
 * How much a process keeps for clients that pipeline requests or do not read their answers; `shed-load.ts` sets these
 * bounds. `http-server.ts` also cuts each client that reads nothing of its answer for a minute.
 */
interface BufferBounds {
  /** Requests behind the first of their connection that is not answered yet. About 2.5 KB each. */
  readonly requests: number;
  /** Answers that were made and not handed to the operating system, in bytes. */
  readonly bytes: number;
}

/** A connection that keeps something. */
export interface Keeper {
  readonly keptRequests: number;
  readonly keptBytes: number;
  cut(): void;
}

/**
 * The part that may stay after a cut. It is less than all, so that in a flood not every request looks for
 * connections to cut.
 */
const REST = 0.9;

/** Adds up what all connections keep. If it is too much, cuts those that keep most. */
export class BufferLimit {
  private requests = 0;
  private bytes = 0;
  private readonly keepers = new Set<Keeper>();

  constructor(
    private readonly limits: BufferBounds,
    private readonly tellCut: () => void,
  ) {}

  /** To be called once the keeper keeps that much more. A negative number means less. */
  change(keeper: Keeper, requests: number, bytes: number): void {
    this.requests += requests;
    this.bytes += bytes;
    if (keeper.keptRequests === 0 && keeper.keptBytes === 0) this.keepers.delete(keeper);
    else this.keepers.add(keeper);
    if (requests + bytes > 0 && !this.isWithin(1)) this.cutWorst();
  }

  private isWithin(share: number): boolean {
    return this.requests <= share * this.limits.requests && this.bytes <= share * this.limits.bytes;
  }

  private cutWorst(): void {
    const worst = [...this.keepers].sort((a, b) => this.shareOf(b) - this.shareOf(a));
    for (const keeper of worst) {
      if (this.isWithin(REST)) break;
      keeper.cut();
      this.tellCut();
    }
  }

  private shareOf({ keptRequests, keptBytes }: Keeper): number {
    return keptRequests / this.limits.requests + keptBytes / this.limits.bytes;
  }
}
