import { setImmediate as nextTurn } from "node:timers/promises";
import { isStorageUnavailable } from "../../domain/errors.js";

/** How long a copy asks a storage that is away again and again, in milliseconds. */
export const PATIENCE = 60_000;

const PAUSE = 500;

/** Waits for one side of a copy while that is away, and ends all waiting once the copy is interrupted. */
export class Patience {
  private awaySince: number | undefined;

  /** @param wentAway hears the cause, once for each time that the storage goes away */
  constructor(
    private readonly signal: AbortSignal,
    private readonly wentAway: (cause: unknown) => void,
  ) {}

  /** Asks until the storage answers. @throws the reason of the signal; `storage_unavailable`, if it is away for too long */
  async ask<Result>(operation: () => Promise<Result>): Promise<Result> {
    for (;;) {
      // With storages that answer at once, signals and the bar would otherwise never get a turn.
      await nextTurn();
      this.signal.throwIfAborted();
      try {
        const result = await unlessAborted(operation(), this.signal);
        this.awaySince = undefined;
        return result;
      } catch (error) {
        if (!isStorageUnavailable(error) || !this.mayWait(error)) throw error;
      }
      await unlessAborted(new Promise((resolve) => setTimeout(resolve, PAUSE)), this.signal);
    }
  }

  private mayWait(error: Error): boolean {
    if (this.awaySince === undefined) this.wentAway(error.cause);
    this.awaySince ??= performance.now();
    return performance.now() - this.awaySince < PATIENCE;
  }
}

/** Settles as the work does, or rejects with the signal's reason. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    // Otherwise the signal would keep every result.
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
