import { storageUnavailable } from "../../domain/errors.js";

/** How often to look for late operations, in milliseconds. One timer for all costs less than one for each. */
const TICK = 250;

/** After how many ticks an operation is too late: at most 4.5 s, since clients get an answer within 5 s. */
const TICKS = 18;

interface Operation {
  /** The tick in which the operation began. */
  readonly tick: number;
  giveUp(reason: Error): void;
}

/**
 * Counts the operations of a storage that are under way, and rejects those that take too long. Each counts until the storage
 * has settled it, even if nobody awaits it any more: it still holds memory, and maybe a connection.
 */
export class UnderWay {
  /** Those that somebody awaits. */
  private readonly operations = new Set<Operation>();
  private unsettled = 0;
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.unsettled;
  }

  /**
   * Settles as the operation does, or rejects if it is too late. The storage works on, and nobody awaits it.
   */
  run<Result>(operation: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const begun = { tick: this.tick, giveUp: reject };
      const working = operation();
      this.unsettled++;
      this.operations.add(begun);
      this.timer ??= setInterval(() => this.giveUpLate(), TICK).unref();
      working.then(
        (result) => {
          this.end(begun);
          resolve(result);
        },
        (error) => {
          this.end(begun);
          reject(error);
        },
      );
    });
  }

  private end(operation: Operation): void {
    this.unsettled--;
    this.operations.delete(operation);
  }

  private giveUpLate(): void {
    this.tick++;
    // A Set keeps the order in which operations began, so all after a punctual one are punctual.
    for (const operation of this.operations) {
      if (this.tick - operation.tick < TICKS) return;
      this.operations.delete(operation);
      const reason = new Error(`the storage did not answer within ${(TICKS * TICK) / 1000} s`);
      operation.giveUp(storageUnavailable(reason));
    }
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
