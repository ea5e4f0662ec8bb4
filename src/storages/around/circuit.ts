import { isStorageUnavailable, storageUnavailable } from "../../domain/errors.js";
import type { StorageLog } from "../storage-adapter.js";
import type { Kind } from "./around.js";
import { withinDeadline } from "./deadline.js";

/** How long to wait for the next probe of a storage that is away, in milliseconds. */
const PAUSE = 500;

/** How long to wait for the next probe of a storage that answers, in milliseconds. */
const WATCH = 2000;

/** How long to say nothing more of operations that fail though the storage answers, in milliseconds. */
const SILENCE = 60_000;

/**
 * Probes a storage from now on, and refuses operations after a probe has failed, until one succeeds. Reads go on while
 * only writes fail. An operation that fails makes it probe, and costs only itself.
 */
export class Circuit {
  /** The kinds of operations that it refuses. Once the log says so, no request waits for the storage any more. */
  private away: readonly Kind[] = [];
  private stopped = false;
  private probing: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private complained = Number.NEGATIVE_INFINITY;

  /**
   * @param ping rejects if the storage cannot be used
   * @param get any read
   * @param log hears of an outage once when it begins, however many requests fail, and once when it is over
   */
  constructor(
    private readonly ping: () => Promise<unknown>,
    private readonly get: () => Promise<unknown>,
    private readonly log: StorageLog,
  ) {
    void this.probe();
  }

  /** Rejects with `storage_unavailable` without a cause, since the log has the cause already. */
  async run<Result>(kind: Kind, operation: () => Promise<Result>): Promise<Result> {
    if (this.away.includes(kind)) throw storageUnavailable(undefined);
    try {
      return await withinDeadline(operation());
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      void this.probe().then(() => {
        if (!this.away.includes(kind)) this.complain(error.cause ?? error);
      });
      throw storageUnavailable(undefined);
    }
  }

  /** Whether the storage can be used. Callers that come meanwhile share one probe. */
  probe(): Promise<boolean> {
    this.probing ??= this.probeNow().finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  /** Probes no more, and logs no outage: somebody is about to close the storage. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async probeNow(): Promise<boolean> {
    clearTimeout(this.timer);
    if (!this.stopped) {
      const ask = async (one: () => Promise<unknown>) => withinDeadline(one());
      // The ping comes first: it takes longer, and so gets the connection that is open.
      const [write, read] = await Promise.allSettled([ask(this.ping), ask(this.get)]);
      if (!this.stopped) this.conclude(read, write);
    }
    return !this.away.includes("write");
  }

  private conclude(read: PromiseSettledResult<unknown>, write: PromiseSettledResult<unknown>): void {
    const causes = new Map<Kind, unknown>();
    // Any other error of a read is a mistake in the storage; each request that meets it is answered and logged by itself.
    if (read.status === "rejected" && isStorageUnavailable(read.reason)) causes.set("read", read.reason);
    if (write.status === "rejected") causes.set("write", write.reason);
    const wasAway = this.away.length > 0;
    this.away = [...causes.keys()];
    const isAway = causes.size > 0;
    if (isAway && !wasAway) {
      const [error] = causes.values();
      const err = (isStorageUnavailable(error) && error.cause) || error;
      this.log.error({ err }, "the storage cannot be used; asking until it answers");
    }
    if (!isAway && wasAway) this.log.info("the storage answers again");
    this.timer = setTimeout(() => this.probe(), isAway ? PAUSE : WATCH).unref();
  }

  /** An operation has failed for a reason that a probe does not find, e.g. since the disk is full. */
  private complain(err: unknown): void {
    if (this.stopped || performance.now() - this.complained < SILENCE) return;
    this.complained = performance.now();
    this.log.error({ err }, "operations fail, though the storage answers");
  }
}
