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

/**
 * How long a commit waits for those that the last one has answered to come again: this part of the time that it took,
 * and no longer than so many milliseconds. Without it half of them would wait while the other half is committed.
 */
const GATHERING = { part: 0.4, most: 10, step: 0.2 };

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
  /** Of the last commit: how long it took in milliseconds, how many creates it had, and whether others waited then. */
  private last = { taken: 0, creates: 0, others: false };
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
    const together = [request];
    let next = request.work.does === "create" ? this.gather(together, receive) : undefined;
    const failure = this.lock(request.deadline);
    if (failure) {
      this.answer(together.map(({ number }) => ({ number, error: failure })));
      return next ?? receive();
    }
    // Those that came while the lock was waited for.
    if (!next && request.work.does === "create") next = this.addCreates(together, receive);
    const begun = sharedNow();
    this.answer(this.commit(together));
    this.lastCommit = sharedNow();
    next ??= receive();
    this.last = { taken: this.lastCommit - begun, creates: count(together), others: next !== undefined };
    this.measureLog();
    this.checkpointIfDue();
    return next;
  }

  /** Takes the creates that wait, and those that are about to come; gives the first request that cannot be added. */
  private gather(together: Request[], receive: () => Request | undefined): Request | undefined {
    const { taken, creates, others } = this.last;
    const end = this.lastCommit + Math.min(GATHERING.part * taken, GATHERING.most);
    let next = this.addCreates(together, receive);
    const expected = creates + (others ? count(together) : 0);
    while (!next && count(together) < expected && sharedNow() < end) {
      this.sleep(GATHERING.step);
      next = this.addCreates(together, receive);
    }
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
    for (;;) {
      const request = receive();
      if (request?.work.does !== "create") return request;
      if (sharedNow() > request.deadline) {
        this.answer([{ number: request.number, error: TOO_LATE }]);
        continue;
      }
      if (count([...together, request]) > MAX_CREATES) return request;
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

/** How many creates these are. */
function count(requests: readonly Request[]): number {
  return requests.reduce((sum, { work }) => sum + (work.does === "create" ? work.creates.length : 0), 0);
}

function failureOf(error: unknown): WriterFailure {
  const { message, code, errcode } = error as { message: string; code?: string; errcode?: number };
  return { message, code, errcode };
}
