import { storageUnavailable } from "../../domain/errors.js";

/** How often operations in flight are checked, in milliseconds. */
const INTERVAL = 250;

/** Operations fail after 4.25 to 4.5 s, so that clients get a response within 5 s. */
const MAX_INTERVALS = 18;

/**
 * Rejects operations that take too long; their work continues unobserved. They share one timer, because a timer for each
 * would cost as much as a short operation. It counts intervals, so a suspended process does not expire them.
 */
export class TimeLimit {
  private readonly inFlight = new Set<{ intervals: number; reject: (error: Error) => void }>();
  private readonly timer = setInterval(() => this.sweep(), INTERVAL).unref();

  run<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry = { intervals: 0, reject };
      this.inFlight.add(entry);
      const end =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          this.inFlight.delete(entry);
          settle(value);
        };
      work.then(end(resolve), end(reject));
    });
  }

  close(): void {
    clearInterval(this.timer);
  }

  private sweep(): void {
    for (const entry of this.inFlight) {
      if (++entry.intervals < MAX_INTERVALS) continue;
      this.inFlight.delete(entry);
      entry.reject(storageUnavailable(new Error("the storage did not answer within 4.5 s")));
    }
  }
}
