import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import { withinDeadline } from "./deadline.js";
import type { OutageLog } from "./outage-log.js";

/** How long to wait before the storage is asked again, in milliseconds. */
const PAUSE = 500;

/** Refuses operations after one has failed, until the storage answers a question. */
export class Circuit {
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
    if (this.isOpen) throw this.refusal();
    try {
      return await withinDeadline(operation);
    } catch (error) {
      if (!isPetstoreError(error) || error.code !== "storage_unavailable") throw error;
      this.isOpen = true;
      void this.answers().then((answers) => {
        if (answers) this.log.complain(error.cause ?? error);
      });
      throw this.refusal();
    }
  }

  private refusal(): Error {
    this.log.requestFailed();
    return storageUnavailable(undefined);
  }

  /** Asks the storage, again and again if it does not answer. Callers that come meanwhile share one question. */
  answers(): Promise<boolean> {
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async ask(): Promise<boolean> {
    if (this.stopped) return false;
    clearTimeout(this.timer);
    try {
      await withinDeadline(this.question);
    } catch (error) {
      if (this.stopped) return false;
      this.isOpen = true;
      this.log.begin(this, (isPetstoreError(error) && error.cause) || error);
      this.timer = setTimeout(() => this.answers(), PAUSE).unref();
      return false;
    }
    if (this.stopped) return false;
    this.isOpen = false;
    this.log.end(this);
    return true;
  }

  /** Asks and logs nothing more: somebody is about to close the storage. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}
