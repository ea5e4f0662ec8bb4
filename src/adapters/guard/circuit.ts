import type { StorageLog } from "../../application/ports/storage.js";
import { isStorageUnavailable, storageUnavailable } from "../../domain/errors.js";
import type { Kind } from "./around.js";
import { withinDeadline } from "./deadline.js";

/** How long to wait for the next probe, and the next operation, of a storage that is away, in milliseconds. */
const PAUSE = 500;

/** How long to wait for the next probe of a storage that answers, in milliseconds. */
const WATCH = 2000;

/** How long to say nothing more of operations that fail though the storage answers, in milliseconds. */
const SILENCE = 60_000;

const NEVER = { read: Number.NEGATIVE_INFINITY, write: Number.NEGATIVE_INFINITY };

/**
 * Probes a storage from now on, and refuses operations of a kind after a probe for it has failed, unless one of them has
 * succeeded since the probe began. While it refuses them, one each half second goes through; a probe or an operation that
 * succeeds lets all through again. An operation that fails makes it probe, and costs only itself.
 */
export class Circuit {
  /** The kinds of operations that it refuses. Once the log says so, only one each half second waits for the storage. */
  private readonly away = new Set<Kind>();
  /** When an operation of the kind succeeded last, by `performance.now()`. */
  private readonly succeeded = { ...NEVER };
  /** When an operation of the kind went through last while the circuit refused the others. */
  private readonly tried = { ...NEVER };
  private stopped = false;
  private probing: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private complained = Number.NEGATIVE_INFINITY;
  /** When the last outage was over. What began before may still fail. */
  private back = Number.NEGATIVE_INFINITY;

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
    if (this.away.has(kind)) {
      if (performance.now() - this.tried[kind] < PAUSE) throw storageUnavailable(undefined);
      this.tried[kind] = performance.now();
    }
    const began = performance.now();
    try {
      const result = await operation();
      this.succeeded[kind] = performance.now();
      this.conclude(kind, undefined);
      return result;
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      void this.probe().then(() => {
        if (!this.away.has(kind) && began > this.back) this.complain(error.cause ?? error);
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
      const began = performance.now();
      const call = async (one: () => Promise<unknown>) => withinDeadline(one());
      const ask = (one: () => Promise<unknown>) =>
        call(one).then(
          () => undefined,
          (error: unknown) => error ?? new Error("rejected without a reason"),
        );
      // The ping comes first, and so gets the connection that is open.
      const [write, read] = await Promise.all([ask(this.ping), ask(this.get)]);
      if (!this.stopped) {
        // Any other error of a read is a mistake in the storage; each request that meets it is answered and logged by itself.
        this.conclude("read", isStorageUnavailable(read) ? read : undefined, began);
        this.conclude("write", write, began);
        this.timer = setTimeout(() => this.probe(), this.away.size > 0 ? PAUSE : WATCH).unref();
      }
    }
    return !this.away.has("write");
  }

  /** @param cause why a probe that began at `began` says that the storage cannot be used; undefined if the storage can */
  private conclude(kind: Kind, cause: unknown, began = 0): void {
    const before = this.away.size;
    if (cause === undefined || this.succeeded[kind] >= began) this.away.delete(kind);
    else if (!this.away.has(kind)) {
      this.away.add(kind);
      this.tried[kind] = performance.now();
    }
    const now = this.away.size;
    if (before === 0 && now > 0) {
      const err = (isStorageUnavailable(cause) && cause.cause) || cause;
      this.log.error({ err }, "the storage cannot be used; asking until it answers");
    }
    if (before > 0 && now === 0) this.back = performance.now();
    if (before > 0 && now === 0 && !this.stopped) this.log.info("the storage answers again");
  }

  /** An operation has failed for a reason that a probe does not find, e.g. since the disk is full. */
  private complain(err: unknown): void {
    if (this.stopped || performance.now() - this.complained < SILENCE) return;
    this.complained = performance.now();
    this.log.error({ err }, "operations fail, though the storage answers");
  }
}
