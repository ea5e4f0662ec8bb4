import type { Storage, StorageLog } from "../../application/storage-adapter.js";
import { isStorageUnavailable, storageUnavailable } from "../../domain/errors.js";
import { TimeLimit } from "./time-limit.js";

/** The time between pings of a storage that is away, in milliseconds. */
const PING_INTERVAL = 500;

/** The minimum time between log lines about failures outside of an outage, in milliseconds. */
const FAILURE_LOG_INTERVAL = 60_000;

/**
 * Limits the time of operations, and fails fast while the storage is away. After a failed operation it pings the storage.
 * Only if that fails too, and no operation has succeeded meanwhile, does it reject operations at once until a ping succeeds:
 * a full disk, a slow query or a shard that is down fails only the operations that it affects.
 */
export class Guard {
  private readonly timeLimit = new TimeLimit();
  private isAway = false;
  /** Whether reads work during an outage, e.g. while another process locks a file of SQLite. */
  private canRead = false;
  private isWatching = false;
  private isClosed = false;
  /** When an operation last succeeded, by `performance.now()`. */
  private succeededAt = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly storage: Pick<Storage, "ping" | "pets">,
    private readonly log: StorageLog,
  ) {}

  /** @throws PetstoreError `storage_unavailable`, or what the operation throws */
  async run<Result>(kind: "read" | "write", operation: () => Promise<Result>): Promise<Result> {
    if (this.isAway && !(kind === "read" && this.canRead)) throw storageUnavailable(undefined);
    try {
      const result = await this.timeLimit.run(operation());
      this.succeededAt = performance.now();
      return result;
    } catch (error) {
      if (isStorageUnavailable(error)) void this.watch(error.cause);
      throw error;
    }
  }

  /** Resolves to why the storage cannot be used now; to undefined if it can. */
  ping(): Promise<unknown> {
    return this.probe(() => this.storage.ping());
  }

  private async probe(operation: () => Promise<unknown>): Promise<unknown> {
    try {
      await this.timeLimit.run(operation());
      return undefined;
    } catch (error) {
      return (error as Error | undefined)?.cause ?? error ?? "no reason given";
    }
  }

  /** Pings the storage; if it is away, until it answers. @param cause why an operation failed, if one has */
  async watch(cause?: unknown): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    const failedAt = performance.now();
    const reason = await this.ping();
    if (reason !== undefined && this.succeededAt <= failedAt && !this.isClosed) {
      this.isAway = true;
      this.log.error({ err: cause ?? reason }, "the storage cannot be used; pinging it until it answers");
      do {
        void this.probe(() => this.storage.pets.get(0n)).then(
          (fault) => (this.canRead = fault === undefined),
        );
        await new Promise((resolve) => setTimeout(resolve, PING_INTERVAL).unref());
      } while (!this.isClosed && (await this.ping()) !== undefined);
      this.isAway = false;
      this.canRead = false;
      if (!this.isClosed) this.log.info("the storage answers again");
      // Operations that were in flight during the outage still fail.
      this.loggedAt = performance.now();
    } else if (cause !== undefined && performance.now() - this.loggedAt > FAILURE_LOG_INTERVAL) {
      this.log.error({ err: cause }, "an operation failed, though the storage can be used");
      this.loggedAt = performance.now();
    }
    this.isWatching = false;
  }

  /** Stops pinging; the storage is about to be closed. */
  close(): void {
    this.isClosed = true;
    this.timeLimit.close();
  }
}
