/** A range of ids in which the target lacks pets of the source. */
export interface Gap {
  readonly after: bigint;
  /** Undefined for the gap after the last pet of the target. */
  readonly before: bigint | undefined;
  /** How many pets are known to be missing. */
  readonly missing: number;
  /** Whether the target has other pets in this range. */
  readonly mixed: boolean;
}

/** How many gaps to keep apart, so that a catalogue of any size takes the same memory. */
const MOST = 10_000;

/** Notes where the target lacks pets, while a walk goes through both sides in order of id. */
export class Gaps {
  private readonly closed: Gap[] = [];
  private last = 0n;
  private missing = 0;

  constructor(private readonly most = MOST) {}

  /** Notes a pet that only the source has. */
  lacks(): void {
    this.missing++;
  }

  /** Notes a pet that both sides have. */
  has(id: bigint): void {
    if (this.missing > 0) this.close(id);
    this.last = id;
  }

  /** All gaps, including the one after the last pet of the target. */
  all(): readonly Gap[] {
    return [...this.closed, { after: this.last, before: undefined, missing: Infinity, mixed: false }];
  }

  private close(before: bigint): void {
    const gap: Gap = { after: this.last, before, missing: this.missing, mixed: false };
    this.missing = 0;
    const previous = this.closed.at(-1);
    if (!previous || this.closed.length < this.most) this.closed.push(gap);
    else {
      const missing = previous.missing + gap.missing;
      this.closed[this.closed.length - 1] = { after: previous.after, before, missing, mixed: true };
    }
  }
}
