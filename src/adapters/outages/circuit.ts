import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import type { OutageLog } from "./outage-log.js";

/** How long an operation may take, in milliseconds: clients get an answer within 5 s. */
const DEADLINE = 4500;

/** How long to wait before the storage is asked again, in milliseconds. */
const PAUSE = 500;

/** Refuses operations after one has failed, until the storage answers a question. */
export class Circuit {
  /** Whether it refuses operations. */
  private isOpen = false;
  private stopped = false;
  private asking: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly question: () => Promise<unknown>,
    private readonly log: OutageLog,
  ) {}

  /** Rejects with `storage_unavailable` without a cause, since the log has the cause already. */
  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      if (!this.isOpen) return await withinDeadline(operation());
    } catch (error) {
      if (!isPetstoreError(error) || error.code !== "storage_unavailable") throw error;
      this.isOpen = true;
      void this.answers().then((answers) => {
        if (answers) this.log.complain(error.cause ?? error);
      });
    }
    this.log.requestFailed();
    throw storageUnavailable(undefined);
  }

  /** Asks the storage, again and again if it does not answer. Callers that come meanwhile share one question. */
  answers(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async ask(): Promise<boolean> {
    clearTimeout(this.timer);
    try {
      await withinDeadline(this.question());
      this.isOpen = false;
      this.log.end(this);
      return true;
    } catch (error) {
      this.isOpen = true;
      if (this.stopped) return false;
      this.log.begin(this, (isPetstoreError(error) && error.cause) || error);
      this.timer = setTimeout(() => this.answers(), PAUSE).unref();
      return false;
    }
  }

  /** Asks nothing more, and logs no outage: somebody is about to close the storage. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}

/** Rejects if the work takes too long. The storage works on then, and nobody awaits it. */
function withinDeadline<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(storageUnavailable(new Error(`the storage did not answer within ${DEADLINE / 1000} s`)));
    }, DEADLINE);
    work.then(resolve, reject).then(() => clearTimeout(timer));
  });
}
