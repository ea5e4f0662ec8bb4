import { statSync } from "node:fs";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { isBusy } from "../database.js";
import { ArchiveWriter } from "./archive-writer.js";
import { CreateWriter } from "./create-writer.js";
import type { WriterGauges } from "./gauges.js";
import { type Answer, type Request, sharedNow, type WriterFailure } from "./messages.js";

/** How many creates one commit takes at most. */
const MAX_CREATES = 1000;

/** How long to wait before the lock is asked for again, in milliseconds. */
const RETRY_INTERVAL = 0.5;

/**
 * For how long after it met another writer this one leaves a gap between its commits, in milliseconds, and how long
 * the gap is. Who waits for the lock asks for it every RETRY_INTERVAL, and would seldom meet a shorter one.
 */
const POLITE_FOR = 200;
const GAP = 2 * RETRY_INTERVAL;

/** After how many pages in the write-ahead log they are moved to the database: what SQLite does by itself, too. */
const CHECKPOINT_PAGES = 1000;

const TOO_LATE: WriterFailure = {
  message: "The lock of the file, or the disk, was waited for too long.",
  code: undefined,
  errcode: undefined,
};

/** Does the work that comes to the writing thread: each piece is committed before it is answered. */
export class Committer {
  closed = false;
  private readonly creates: CreateWriter;
  private readonly archive: ArchiveWriter;
  private readonly selectLogged: StatementSyncInstance;
  private metOther = Number.NEGATIVE_INFINITY;
  private lastCommit = Number.NEGATIVE_INFINITY;
  private readonly pause = new Int32Array(new SharedArrayBuffer(4));

  constructor(
    private readonly database: DatabaseSyncInstance,
    private readonly path: string,
    private readonly gauges: WriterGauges,
    private readonly answer: (answers: readonly Answer[]) => void,
  ) {
    // Checkpoints wait for the disk twice: they come after the answers, not before.
    database.exec("PRAGMA wal_autocheckpoint = 0");
    this.creates = new CreateWriter(database);
    this.archive = new ArchiveWriter(database);
    this.selectLogged = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.measureLog();
  }

  /** Does what is asked, together with what has come meanwhile as far as it fits; gives the request that did not. */
  work(request: Request, receive: () => Request | undefined): Request | undefined {
    if (request.work.does === "close") {
      this.close(request);
      return undefined;
    }
    const failure = this.lock(request.deadline);
    if (failure) {
      this.answer([{ number: request.number, error: failure }]);
      return receive();
    }
    const together = [request];
    // Those that came while the lock was waited for, or the disk before.
    const next = request.work.does === "create" ? this.addCreates(together, receive) : receive();
    this.answer(this.commit(together));
    this.lastCommit = sharedNow();
    this.measureLog();
    this.checkpointIfDue();
    return next;
  }

  /** Begins a transaction that may write; gives why there is none by the deadline. */
  private lock(deadline: number): WriterFailure | undefined {
    const gap = this.lastCommit + GAP - sharedNow();
    if (gap > 0 && this.lastCommit - this.metOther < POLITE_FOR) this.sleep(gap);
    for (;;) {
      if (sharedNow() > deadline) return TOO_LATE;
      try {
        this.database.exec("BEGIN IMMEDIATE");
        return undefined;
      } catch (error) {
        if (!isBusy(error)) return failureOf(error);
      }
      this.metOther = sharedNow();
      this.sleep(RETRY_INTERVAL);
    }
  }

  /** All or none, in the transaction that is open. */
  private commit(requests: readonly Request[]): Answer[] {
    this.gauges.commitBegins();
    try {
      const answers = requests.map(({ number, work }) => ({ number, result: this.write(work) }));
      this.database.exec("COMMIT");
      return answers;
    } catch (error) {
      // Some failures, a full disk among them, have rolled back by themselves.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      return requests.map(({ number }) => ({ number, error: failureOf(error) }));
    } finally {
      this.gauges.commitEnds();
    }
  }

  private write(work: Request["work"]): unknown {
    return work.does === "create" ? this.creates.write(work.creates) : this.archive.write(work);
  }

  /** Adds the creates that wait; gives the first request that is something else, or does not fit. */
  private addCreates(together: Request[], receive: () => Request | undefined): Request | undefined {
    let count = createsIn(together[0] as Request);
    for (;;) {
      const request = receive();
      if (request?.work.does !== "create") return request;
      if (sharedNow() > request.deadline) {
        this.answer([{ number: request.number, error: TOO_LATE }]);
        continue;
      }
      count += createsIn(request);
      if (count > MAX_CREATES) return request;
      together.push(request);
    }
  }

  private measureLog(): void {
    this.gauges.walHas(statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  }

  private checkpointIfDue(): void {
    try {
      if (this.selectLogged.get().log < CHECKPOINT_PAGES) return;
      const { busy } = this.database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
      if (!busy) this.gauges.checkpointDone();
    } catch {
      // Nothing is lost: the log keeps it, and the next commit tries again.
    }
  }

  private close({ number }: Request): void {
    try {
      // Whatever keeps the -wal file at the end, a copy of the database alone is then whole.
      this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: the -wal file keeps it, and the next start reads it.
    }
    this.database.close();
    this.closed = true;
    this.answer([{ number }]);
  }

  private sleep(milliseconds: number): void {
    Atomics.wait(this.pause, 0, 0, milliseconds);
  }
}

function createsIn({ work }: Request): number {
  return work.does === "create" ? work.creates.length : 0;
}

function failureOf(error: unknown): WriterFailure {
  const { message, code, errcode } = error as { message: string; code?: string; errcode?: number };
  return { message, code, errcode };
}
