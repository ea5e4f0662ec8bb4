import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy } from "../../errors.js";
import { sharedNow, type WriterGauges } from "../gauges.js";
import { type Answer, type Request, VALUES, type WriterFailure } from "../messages.js";
import { ArchiveWriter } from "./archive-writer.js";
import { CreateWriter } from "./create-writer.js";
import type { Inbox } from "./inbox.js";
import { WriteAheadLog } from "./write-ahead-log.js";

/** The most creates in one commit. */
const MAX_CREATES = 1000;

/**
 * How long to wait before the next try to get the lock, in milliseconds. A commit holds the lock for less than `after`
 * milliseconds, another program perhaps for long. So tries then become rare: without that two workers took 0.15 of a core.
 */
const RETRY = { interval: 0.5, after: 1000, later: 5 };

/**
 * How long a commit waits for the next creates of the clients that the last one has answered: this share of
 * the last commit's time, and at most so many milliseconds. Otherwise half of the clients wait while the
 * other half is committed.
 */
const GATHERING = { part: 0.4, most: 10 };

const TOO_LATE: WriterFailure = {
  message: "The lock of the file, or the disk, was waited for too long.",
  code: undefined,
  errcode: undefined,
};

/** The requests that wait. */
type Requests = Pick<Inbox, "receive" | "wait">;

/** Does the work of the writing thread. It commits each piece before it answers. */
export class Committer {
  closed = false;
  private readonly creates: CreateWriter;
  private readonly archive: ArchiveWriter;
  readonly log: WriteAheadLog;
  private lastCommit = Number.NEGATIVE_INFINITY;
  /** The last commit: its time in milliseconds, the number of its creates, and whether others waited then. */
  private last = { taken: 0, creates: 0, others: false };
  private readonly pause = new Int32Array(new SharedArrayBuffer(4));

  constructor(
    private readonly database: DatabaseSyncInstance,
    path: string,
    private readonly gauges: WriterGauges,
    private readonly answer: (answers: readonly Answer[]) => void,
  ) {
    this.log = new WriteAheadLog(database, path, gauges);
    this.creates = new CreateWriter(database);
    this.archive = new ArchiveWriter(database);
  }

  /** Does a request, and those that have come meanwhile and fit. Returns the first that does not fit. */
  work(request: Request, inbox: Requests): Request | undefined {
    if (request.work.does === "close") {
      this.close(request);
      return undefined;
    }
    const together = [request];
    this.refuseLate(together);
    if (together.length === 0) return inbox.receive();
    let next = request.work.does === "create" ? this.gather(together, inbox) : undefined;
    if (!this.lock(together)) return next ?? inbox.receive();
    // Creates that came while this waited for the lock.
    if (!next && request.work.does === "create") next = this.addCreates(together, inbox);
    const begun = sharedNow();
    const answers = this.commit(together);
    // Before the answers: whoever gets one may come again at once.
    next ??= inbox.receive();
    this.answer(answers);
    this.lastCommit = sharedNow();
    this.last = { taken: this.lastCommit - begun, creates: count(together), others: next !== undefined };
    if (this.log.untilLook <= 0) this.log.look();
    return next;
  }

  /** Takes the creates that wait or are about to come. Returns the first request that it cannot add. */
  private gather(together: Request[], inbox: Requests): Request | undefined {
    const { taken, creates, others } = this.last;
    const end = this.lastCommit + Math.min(GATHERING.part * taken, GATHERING.most);
    let next = this.addCreates(together, inbox);
    const expected = creates + (others ? count(together) : 0);
    for (let left = Infinity; !next && left > 0 && count(together) < expected; ) {
      left = end - sharedNow();
      if (left > 0) inbox.wait(left);
      next = this.addCreates(together, inbox);
    }
    return next;
  }

  /**
   * Begins a transaction that may write. While it waits, it refuses each request at that request's own deadline.
   *
   * @returns whether there is a transaction; otherwise all requests are answered
   */
  private lock(requests: Request[]): boolean {
    const begun = sharedNow();
    while (requests.length > 0) {
      try {
        if (this.log.closeGap()) {
          this.database.exec("BEGIN IMMEDIATE");
          return true;
        }
      } catch (error) {
        if (!isBusy(error)) {
          this.refuse(requests, failureOf(error));
          return false;
        }
      }
      this.sleep(sharedNow() - begun < RETRY.after ? RETRY.interval : RETRY.later);
      this.refuseLate(requests);
    }
    return false;
  }

  /** Refuses the requests whose deadline is past, and leaves the others. */
  private refuseLate(requests: Request[]): void {
    const now = sharedNow();
    const late = requests.filter(({ deadline }) => now > deadline);
    if (late.length === 0) return;
    this.refuse(late, TOO_LATE);
    requests.splice(0, requests.length, ...requests.filter((request) => !late.includes(request)));
  }

  private refuse(requests: readonly Request[], error: WriterFailure): void {
    this.answer(requests.map(({ number }) => ({ number, error })));
  }

  /**
   * Stores all requests or none, in the open transaction, and brings them to the disk. If only the disk fails at the end,
   * they are stored, and refused.
   */
  private commit(requests: readonly Request[]): Answer[] {
    this.gauges.commitBegins();
    try {
      const answers = requests.map(({ number, work }) => ({ number, result: this.write(work) }));
      // No prepared statement: if the thread is ended while one waits for the disk, the driver aborts the process.
      this.database.exec("COMMIT");
      this.log.sync();
      return answers;
    } catch (error) {
      // At some failures, such as a full disk, SQLite has rolled back by itself.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      return requests.map(({ number }) => ({ number, error: failureOf(error) }));
    } finally {
      this.gauges.commitEnds();
    }
  }

  private write(work: Request["work"]): unknown {
    return work.does === "create" ? this.creates.write(work.values) : this.archive.write(work);
  }

  /** Adds the creates that wait. Returns the first request that is no create, or does not fit. */
  private addCreates(together: Request[], inbox: Requests): Request | undefined {
    for (;;) {
      const request = inbox.receive();
      if (request?.work.does !== "create") return request;
      if (sharedNow() > request.deadline) {
        this.refuse([request], TOO_LATE);
        continue;
      }
      if (count([...together, request]) > MAX_CREATES) return request;
      together.push(request);
    }
  }

  private close({ number }: Request): void {
    this.log.close();
    this.database.close();
    this.closed = true;
    this.answer([{ number }]);
  }

  private sleep(milliseconds: number): void {
    Atomics.wait(this.pause, 0, 0, milliseconds);
  }
}

/** The number of creates in these requests. */
function count(requests: readonly Request[]): number {
  return requests.reduce(
    (sum, { work }) => sum + (work.does === "create" ? work.values.length / VALUES : 0),
    0,
  );
}

function failureOf(error: unknown): WriterFailure {
  const { message, code, errcode } = error as { message: string; code?: string; errcode?: number };
  return { message, code, errcode };
}
