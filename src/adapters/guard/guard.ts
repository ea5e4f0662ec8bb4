import type { Log } from "../../application/ports/log.js";
import type { Metrics } from "../../application/ports/metrics.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Storage } from "../../application/storage-adapter.js";
import { isStorageUnavailable, PetstoreError, storageUnavailable } from "../../domain/errors.js";

/** How long an operation or a probe may take, so that the service responds within 5 s (ms). */
const TIMEOUT = 4500;
/** The time between two probes during an outage (ms). */
const PROBE_INTERVAL = 500;
/** The minimum time between two logged failures of one side, outside of its outages (ms). */
const LOG_INTERVAL = 5000;

/** The reads or the writes of a storage: one side may work while the other fails. */
class Side {
  isDown = false;
  isBeingProbed = false;
  // Instants, by `performance.now()`.
  succeededAt = 0;
  loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly name: "reads" | "writes",
    private readonly probe: () => Promise<unknown>,
  ) {}

  /** Resolves to why a probe fails; to undefined if it succeeds. */
  async findFailure(): Promise<unknown> {
    try {
      await withTimeout(this.probe());
      return undefined;
    } catch (error) {
      return error ?? new Error("no reason given");
    }
  }
}

/**
 * Limits the time of operations, measures them, and fails fast during an outage.
 *
 * After an operation has failed, the guard probes its side. Writes are down if `ping` fails; reads only if `ping` and a get
 * both fail. If nothing of the side has succeeded since, its operations are rejected at once until a probe succeeds. So a
 * document that cannot be read, a shard that is away, a full disk or a slow query affects nothing else.
 */
export class Guard {
  private readonly reads: Side;
  private readonly writes: Side;
  private readonly metrics;
  private isClosed = false;

  constructor(
    storage: Pick<Storage, "ping" | "pets">,
    private readonly isReadOnly: boolean,
    private readonly log: Log,
    metrics: Pick<Metrics, "storageOperation">,
  ) {
    const ping = () => storage.ping();
    const get = () => storage.pets.get(0n);
    this.writes = new Side("writes", ping);
    // A `ping` may wait for a write lock, which a read-only service must not.
    this.reads = new Side("reads", () =>
      isReadOnly
        ? get().catch(ping)
        : Promise.any([get(), ping()]).catch(({ errors }) => Promise.reject(errors[0])),
    );
    this.metrics = {
      create: metrics.storageOperation("create"),
      get: metrics.storageOperation("get"),
      list: metrics.storageOperation("list"),
    };
  }

  read<Result>(name: keyof PetRepository, operation: () => Promise<Result>): Promise<Result> {
    return this.run(this.reads, name, operation);
  }

  async write<Result>(name: keyof PetRepository, operation: () => Promise<Result>): Promise<Result> {
    if (!this.isReadOnly) return this.run(this.writes, name, operation);
    throw new PetstoreError(
      "storage_unavailable",
      "The service is read-only for now: its operator has turned changes off. Try again later.",
    );
  }

  /** Whether the storage can be used now. */
  async isReady(): Promise<boolean> {
    return (await this.decisive.findFailure()) === undefined;
  }

  /** Logs an outage before the first operation fails. */
  check(): Promise<void> {
    return this.watch(this.decisive);
  }

  /** Ends the probes; the storage is about to be closed. */
  close(): void {
    this.isClosed = true;
  }

  /** A `ping` that succeeds speaks for both sides. A read-only service needs no writes. */
  private get decisive(): Side {
    return this.isReadOnly ? this.reads : this.writes;
  }

  private async run<Result>(
    side: Side,
    name: keyof PetRepository,
    operation: () => Promise<Result>,
  ): Promise<Result> {
    const metrics = this.metrics[name];
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
      if (isStorageUnavailable(error)) void this.watch(side, error.cause ?? error);
      throw error;
    } finally {
      metrics.finished((performance.now() - startedAt) / 1000);
    }
  }

  /** Probes a side, and if it is down goes on until it is back. @param cause why an operation failed, if one did */
  private async watch(side: Side, cause?: unknown): Promise<void> {
    if (side.isBeingProbed) return;
    side.isBeingProbed = true;
    const failedAt = performance.now();
    const failure = await side.findFailure();
    if (this.isClosed) return;
    const isDown = failure !== undefined && side.succeededAt <= failedAt;
    if (isDown) await this.waitOut(side, cause ?? failure);
    else if (cause !== undefined) this.logFailure(side, cause);
    side.isBeingProbed = false;
  }

  /** Rejects the operations of a side until a probe succeeds. For the log an outage of both sides is one. */
  private async waitOut(side: Side, cause: unknown): Promise<void> {
    if (this.isDown()) this.logFailure(side, cause);
    else {
      this.log.error({ err: cause }, "storage unavailable; probing until it responds");
      this.reads.loggedAt = this.writes.loggedAt = performance.now();
    }
    side.isDown = true;
    do await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL).unref());
    while (!this.isClosed && (await side.findFailure()) !== undefined);
    side.isDown = false;
    if (!this.isDown() && !this.isClosed) this.log.info("storage responds again");
  }

  private logFailure(side: Side, err: unknown): void {
    if (performance.now() - side.loggedAt < LOG_INTERVAL) return;
    side.loggedAt = performance.now();
    this.log.error({ err, side: side.name }, "operation failed");
  }

  private isDown(): boolean {
    return this.reads.isDown || this.writes.isDown;
  }
}

/** Settles as the work does, or rejects with `storage_unavailable` after the limit; the work then continues unobserved. */
function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      reject(storageUnavailable(new Error(`the storage did not respond within ${TIMEOUT} ms`)));
    // If the whole machine was paused, a response may have arrived that this turn of the event loop reads.
    const timer = setTimeout(() => setImmediate(giveUp), TIMEOUT);
    // Cheaper than `finally`, which makes another promise.
    const settle =
      <Value>(then: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        then(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
