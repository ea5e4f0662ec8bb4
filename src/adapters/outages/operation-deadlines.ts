import { storageUnavailable } from "../../domain/errors.js";

/** How often to look for late operations, in milliseconds. One timer for all costs less than one for each. */
const TICK = 250;

/**
 * After how many ticks an operation is too late: at most 4.5 s, since clients get an answer within 5 s. The built-in
 * databases give up before, after 4 s: `writer.ts` of SQLite, and `connection.ts` of MongoDB.
 */
const TICKS = 18;

interface Operation {
  /** The tick in which the operation began. */
  readonly tick: number;
  /** Its place in the list of those that somebody awaits; `GIVEN_UP` if nobody does any more. */
  place: number;
  reject(reason: Error): void;
}

const GIVEN_UP = -1;

/**
 * Counts the operations of a storage that are under way, and rejects those that take too long. Each counts until the storage
 * has settled it, even if nobody awaits it any more: it still holds memory, and maybe a connection.
 */
export class OperationDeadlines {
  /** The operations that somebody awaits, in no order. A Set would have to hash each operation. */
  private readonly operations: Operation[] = [];
  private unsettled = 0;
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.unsettled;
  }

  /**
   * Calls `resolve` or `reject` as the operation settles, or `reject` if it is too late: the storage works on, and
   * nobody awaits it. Makes no promise of its own: each request would have to wait for that, too.
   */
  run<Result>(
    operation: () => Promise<Result>,
    resolve: (result: Result) => void,
    reject: (reason: unknown) => void,
  ): void {
    let working: Promise<Result>;
    try {
      working = operation();
    } catch (error) {
      reject(error);
      return;
    }
    const begun = { tick: this.tick, place: this.operations.length, reject };
    this.unsettled++;
    this.operations.push(begun);
    this.timer ??= setInterval(() => this.giveUpLate(), TICK).unref();
    working.then(
      (result) => {
        if (this.end(begun)) resolve(result);
      },
      (error) => {
        if (this.end(begun)) reject(error);
      },
    );
  }

  /** Ends an operation that has settled; false if nobody awaits it any more. */
  private end(operation: Operation): boolean {
    this.unsettled--;
    return this.forget(operation);
  }

  /** Takes an operation out of the list; the last one takes its place. */
  private forget(operation: Operation): boolean {
    const { place } = operation;
    if (place === GIVEN_UP) return false;
    const last = this.operations.pop() as Operation;
    if (last !== operation) {
      this.operations[place] = last;
      last.place = place;
    }
    operation.place = GIVEN_UP;
    return true;
  }

  private giveUpLate(): void {
    this.tick++;
    for (const operation of this.operations.filter(({ tick }) => this.tick - tick >= TICKS)) {
      this.forget(operation);
      const reason = new Error(`the storage did not answer within ${(TICKS * TICK) / 1000} s`);
      operation.reject(storageUnavailable(reason));
    }
    if (this.operations.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
