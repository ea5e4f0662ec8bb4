import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import type { Storage } from "../../application/storage-adapter.js";
import { isStorageUnavailable, PetstoreError, storageUnavailable } from "../../domain/errors.js";

/** In milliseconds. An operation has its limit, so that the service can respond within 5 s. */
const LIMIT = 4500;
const BETWEEN_PROBES = 500;
/** At least, outside an outage. */
const BETWEEN_LOGGED_FAILURES = 5000;

/** The reads or the writes of a storage. */
interface Side {
  probe(): Promise<unknown>;
  isDown: boolean;
  isBeingProbed: boolean;
  /** When an operation last succeeded, by `performance.now()`. */
  succeededAt: number;
}

/** Runs an operation of a storage. Rejects as the operation does, or with `storage_unavailable`. */
type Run = <Result>(operation: () => Promise<Result>) => Promise<Result>;

/**
 * Limits the time of operations, measures them, and fails fast during an outage. After an operation has failed, it probes
 * reads and writes, each by itself. If a probe fails as well, and no operation of its side has succeeded meanwhile, that side
 * rejects at once until a probe succeeds. A full disk, a slow query or a shard that is down fails only what it affects.
 */
export class Guard {
  private readonly reads: Side;
  private readonly writes: Side;
  private recoveredAt = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  constructor(
    storage: Pick<Storage, "ping" | "pets">,
    private readonly isReadOnly: boolean,
    private readonly log: Log,
    private readonly metrics: Pick<Metrics, "storageOperation">,
  ) {
    const side = { isDown: false, isBeingProbed: false, succeededAt: 0 };
    this.reads = { ...side, probe: () => storage.pets.get(0n).catch(rethrowUnavailable) };
    this.writes = { ...side, probe: () => storage.ping() };
  }

  /** Returns what runs the reads of this name in the metrics. */
  read(name: string): Run {
    return this.protect(this.reads, name);
  }

  write(name: string): Run {
    const run = this.protect(this.writes, name);
    return this.isReadOnly ? rejectReadOnly : run;
  }

  /** Whether the storage can be used now. */
  async isReady(): Promise<boolean> {
    const failures = await Promise.all([failureOf(this.reads), failureOf(this.writes)]);
    return failures.every((failure) => failure === undefined);
  }

  /** Looks for an outage; `cause` is why an operation has failed, and `startedAt` when that started. */
  async check(cause?: unknown, startedAt = 0): Promise<void> {
    const outages = await Promise.all([this.watch(this.reads, cause), this.watch(this.writes, cause)]);
    // An operation that was in flight during an outage may fail after it.
    if (cause === undefined || outages.includes(true) || startedAt < this.recoveredAt) return;
    if (performance.now() - this.loggedAt < BETWEEN_LOGGED_FAILURES) return;
    this.loggedAt = performance.now();
    this.log.error({ err: cause }, "operation failed, but the storage responds to probes");
  }

  /** Stops probing; the storage is about to be closed. */
  close(): void {
    this.isClosed = true;
  }

  private protect(side: Side, name: string): Run {
    const metrics = this.metrics.storageOperation(name);
    return async (operation) => {
      if (side.isDown) {
        metrics.failed();
        throw storageUnavailable(undefined);
      }
      const startedAt = performance.now();
      try {
        const result = await withTimeout(operation());
        side.succeededAt = performance.now();
        return result;
      } catch (error) {
        metrics.failed();
        if (isStorageUnavailable(error)) void this.check(causeOf(error), startedAt);
        throw error;
      } finally {
        metrics.finished((performance.now() - startedAt) / 1000);
      }
    };
  }

  /** Resolves to whether the side is down, or was until now. */
  private async watch(side: Side, cause: unknown): Promise<boolean> {
    if (side.isBeingProbed) return true;
    side.isBeingProbed = true;
    const failedAt = performance.now();
    let failure = await failureOf(side);
    // Something else worked meanwhile: the storage may have come back.
    if (Math.max(this.reads.succeededAt, this.writes.succeededAt) > failedAt) failure = await failureOf(side);
    const isOutage = failure !== undefined && side.succeededAt <= failedAt && !this.isClosed;
    if (isOutage) {
      if (!this.isDown())
        this.log.error({ err: cause ?? failure }, "storage unavailable; probing until it responds");
      side.isDown = true;
      do await new Promise((resolve) => setTimeout(resolve, BETWEEN_PROBES).unref());
      while (!this.isClosed && (await failureOf(side)) !== undefined);
      side.isDown = false;
      this.recoveredAt = performance.now();
      this.loggedAt = Number.NEGATIVE_INFINITY;
      if (!this.isDown() && !this.isClosed) this.log.info("storage responds again");
    }
    side.isBeingProbed = false;
    return isOutage;
  }

  private isDown(): boolean {
    return this.reads.isDown || this.writes.isDown;
  }
}

/** Settles as the work does, or rejects with `storage_unavailable` after the limit; the work then continues unobserved. */
function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(storageUnavailable(new Error(`the storage did not respond within ${LIMIT} ms`)));
    }, LIMIT);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Why a probe fails; undefined if it succeeds. */
async function failureOf(side: Side): Promise<unknown> {
  try {
    await withTimeout(side.probe());
    return undefined;
  } catch (error) {
    return error ?? new Error("no reason given");
  }
}

function causeOf(error: Error): unknown {
  try {
    return error.cause ?? error;
  } catch {
    return error;
  }
}

/** A storage that fails for another reason has responded; that is a bug, not an outage. */
function rethrowUnavailable(error: unknown): void {
  if (isStorageUnavailable(error)) throw error;
}

async function rejectReadOnly(): Promise<never> {
  throw new PetstoreError(
    "storage_unavailable",
    "The service is read-only for now: its operator has turned changes off. Try again later.",
  );
}
