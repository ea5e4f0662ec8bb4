import { storageUnavailable } from "../../domain/errors.js";

/** How often what is under way is looked through, in milliseconds: one timer for all costs less than one for each. */
const TICK = 250;

/** After how many ticks an operation is given up: at most 4.5 s after it began, for a client is promised 5. */
const TICKS = 18;

interface Operation {
  /** When it began. */
  readonly tick: number;
  giveUp(reason: Error): void;
}

/** Operations of a storage that are under way; each is given up in time. */
export class UnderWay {
  private readonly operations = new Set<Operation>();
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.operations.size;
  }

  /** Settles as the operation does, or rejects once it is given up. The work itself goes on, unheard. */
  run<Result>(operation: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const begun = { tick: this.tick, giveUp: reject };
      const working = operation();
      this.operations.add(begun);
      this.timer ??= setInterval(() => this.giveUpLate(), TICK).unref();
      working.then(
        (result) => {
          this.operations.delete(begun);
          resolve(result);
        },
        (error) => {
          this.operations.delete(begun);
          reject(error);
        },
      );
    });
  }

  private giveUpLate(): void {
    this.tick++;
    // In the order in which they began.
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
