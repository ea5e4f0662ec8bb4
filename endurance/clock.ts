/** The interval at which the clock looks how late its own timer is, in milliseconds. */
const INTERVAL = 50;

/** The time of a run, and the time that this process itself has lost. */
export class Clock {
  private readonly start = performance.now();
  private lost = 0;
  private last = this.start;
  private readonly timer = setInterval(() => this.look(), INTERVAL);

  /** Milliseconds since the start of the run. */
  now(): number {
    return performance.now() - this.start;
  }

  /** The milliseconds in which this process could do nothing. An answer may be later by as many. */
  lostSoFar(): number {
    this.look();
    return this.lost;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    this.lost += Math.max(0, now - this.last - INTERVAL);
    this.last = now;
  }
}

/** A time of the run for people, e.g. `754.2 s`. */
export function timeOf(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
