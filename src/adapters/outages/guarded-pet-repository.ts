import { setTimeout as sleep } from "node:timers/promises";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { StorageLog } from "../../application/ports/storage-adapter.js";
import { isPetstoreError, storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { OperationDeadlines } from "./operation-deadlines.js";
import { OutageLog } from "./outage-log.js";
import { Pings } from "./pings.js";

/**
 * Stands between the service and any storage. While the storage is away, it refuses operations at once, and
 * pings the storage until that answers. It gives up an operation that takes too long. It logs an outage once
 * at the beginning and once at the end, however many requests fail.
 */
export class GuardedPetRepository implements PetRepository {
  private away = false;
  /** A storage that is away may be read all the same, as SQLite is while its disk takes nothing. */
  private unreadable = false;
  private closed = false;
  private checking: Promise<boolean> | undefined;
  private readonly underWay = new OperationDeadlines();
  /** The guard's own questions: however busy the storage is, the guard must find out whether it answers. */
  private readonly pings: Pings;
  private readonly reading = new OperationDeadlines();
  private readonly outage: OutageLog;
  private readonly reads: OutageLog;
  private readonly creates: OutageLog;

  constructor(
    private readonly repository: PetRepository,
    log: StorageLog,
    /** How many operations may be under way; each holds memory, and maybe a connection. */
    private readonly most: number,
  ) {
    this.pings = new Pings(() => this.repository.ping());
    this.outage = new OutageLog(
      log,
      "the storage cannot be used; asking until it answers",
      "the storage answers again",
    );
    this.reads = new OutageLog(log, "reads fail, though the storage answers", "reads work again");
    this.creates = new OutageLog(log, "creates fail, though the storage answers", "creates work again");
    // A storage may be away from the start; this logs it before the first request.
    void this.check();
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return this.run(this.creates, () => this.repository.create(pet, record));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.run(this.reads, () => this.repository.get(id));
  }

  list(range: PetRange): Promise<Pet[]> {
    return this.run(this.reads, () => this.repository.list(range));
  }

  async ping(): Promise<void> {
    if (this.closed || this.away || !(await this.check())) throw storageUnavailable(undefined);
  }

  /** From now on it asks the storage nothing by itself, and logs nothing of it: somebody is about to close the storage. */
  stopAsking(): void {
    this.closed = true;
  }

  close(): Promise<void> {
    this.stopAsking();
    return this.repository.close();
  }

  /** Rejects with `storage_unavailable` without a cause, since the log has the cause already. */
  private run<Result>(outage: OutageLog, operation: () => Promise<Result>): Promise<Result> {
    if (outage === this.reads ? this.unreadable : this.away) {
      this.outage.met();
      return Promise.reject(storageUnavailable(undefined));
    }
    return new Promise((resolve, reject) => {
      const worked = (result: Result) => {
        outage.worked();
        resolve(result);
      };
      const failed = (error: unknown) => reject(this.failed(outage, error));
      if (this.underWay.size < this.most) this.underWay.run(operation, worked, failed);
      else failed(storageUnavailable(new Error(`${this.most} operations are under way already`)));
    });
  }

  /** Looks into the failure of an operation. Answers the error for its request, without a cause if the storage fails. */
  private failed(outage: OutageLog, error: unknown): unknown {
    if (!isPetstoreError(error) || error.code !== "storage_unavailable") return error;
    void this.findOut(outage, error.cause ?? error);
    return storageUnavailable(undefined);
  }

  /** Pings the storage to find out whether it is away, or whether only such operations fail. */
  private async findOut(outage: OutageLog, reason: unknown): Promise<void> {
    if (this.closed) return;
    if (!this.away && (await this.check())) outage.met(reason);
    else {
      // Until `findOutReading` learns otherwise, later reads fail at once, and need not wait.
      if (outage === this.reads) this.unreadable = true;
      this.outage.met();
    }
  }

  /** Pings the storage, and notes whether it is away. Callers that come meanwhile share one ping. */
  private check(): Promise<boolean> {
    this.checking ??= this.pingOnce().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async pingOnce(): Promise<boolean> {
    try {
      await this.pings.ask();
      this.away = false;
      this.unreadable = false;
      this.outage.over();
      return true;
    } catch (error) {
      if (this.closed) return false;
      if (!this.away) void this.askUntilItAnswers();
      this.away = true;
      this.outage.begin((isPetstoreError(error) && error.cause) || error);
      void this.findOutReading();
      return false;
    }
  }

  /**
   * Finds out by a read of its own whether the storage answers reads while it is away; otherwise the guard refuses
   * them.
   */
  private async findOutReading(): Promise<void> {
    // If the storage has not settled the last one, that one is enough.
    if (this.reading.size > 0) return;
    const failed = await new Promise<boolean>((resolve) => {
      this.reading.run(
        () => this.repository.get(0n),
        () => resolve(false),
        () => resolve(true),
      );
    });
    this.unreadable = failed && this.away;
  }

  private async askUntilItAnswers(): Promise<void> {
    do {
      await sleep(this.pings.pause, undefined, { ref: false });
    } while (!this.closed && !(await this.check()));
  }
}
