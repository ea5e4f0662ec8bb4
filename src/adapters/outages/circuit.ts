import { isStorageUnavailable, storageUnavailable } from "../../domain/errors.js";
import { withinDeadline } from "../../storages/deadline.js";
import type { OutageLog } from "./outage-log.js";

/** How long to wait for the next probe of a storage that is away, in milliseconds. */
const PAUSE = 500;

/** How long to wait for the next probe of a storage that answers, in milliseconds. */
const WATCH = 2000;

/**
 * Probes a storage, and refuses operations after a probe has failed, until one succeeds. An operation that fails makes it
 * probe, and costs only itself.
 */
export class Circuit {
  /** Whether it refuses operations. */
  private isOpen = false;
  private stopped = false;
  private probing: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param ask rejects if the storage cannot be used
   * @param watches whether it probes without a reason, too, from now on
   */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly log: OutageLog,
    private readonly watches: boolean,
  ) {
    if (watches) void this.probe();
  }

  /** Rejects with `storage_unavailable` without a cause, since the log has the cause already. */
  async run<Result>(operation: () => Promise<Result>): Promise<Result> {
    if (this.isOpen) throw storageUnavailable(undefined);
    try {
      return await withinDeadline(operation());
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      void this.probe().then((answers) => {
        if (answers) this.log.complain(error.cause ?? error);
      });
      throw storageUnavailable(undefined);
    }
  }

  /** Whether the storage answers a probe. Callers that come meanwhile share one. */
  probe(): Promise<boolean> {
    this.probing ??= this.probeNow().finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  private async probeNow(): Promise<boolean> {
    if (this.stopped) return !this.isOpen;
    clearTimeout(this.timer);
    try {
      await withinDeadline(this.ask());
      this.isOpen = false;
      this.log.end(this);
    } catch (error) {
      this.isOpen = true;
      if (!this.stopped) this.log.begin(this, (isStorageUnavailable(error) && error.cause) || error);
    }
    if (!this.stopped && (this.isOpen || this.watches)) {
      this.timer = setTimeout(() => this.probe(), this.isOpen ? PAUSE : WATCH).unref();
    }
    return !this.isOpen;
  }

  /** Probes no more, and logs no outage: somebody is about to close the storage. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }
}
