import type { StorageLog } from "../../../application/ports/storage-adapter.js";
import type { DatabaseFile } from "../database.js";
import type { WriterGauges } from "./gauges.js";
import type { Answer, Request } from "./messages.js";
import { WriterThread } from "./writer-thread.js";

/** How long to wait after the death of a thread, in milliseconds: twice as long each time, within bounds. */
const BACKOFF = { shortest: 50, longest: 5000 };

/** A thread that writes. If it dies, another one takes its place, and gets the requests that came meanwhile. */
export class RestartedThread {
  private thread: WriterThread | undefined;
  private diedAt = 0;
  private backoff = BACKOFF.shortest;
  /** Requests that wait for a thread. */
  private unsent: Request[] = [];
  private ending = false;

  /**
   * @param answered gets every answer of the thread
   * @param lost gets the cause if a thread dies: the requests that it had are lost
   */
  constructor(
    private readonly file: DatabaseFile,
    private readonly log: StorageLog,
    private readonly gauges: WriterGauges,
    private readonly answered: (answers: readonly Answer[]) => void,
    private readonly lost: (cause: Error) => void,
  ) {}

  /**
   * Starts a thread. Only the first one may make a missing file.
   *
   * @throws Error that says what is wrong with the file
   */
  async start(make: boolean): Promise<void> {
    const thread = await WriterThread.start({ file: this.file, make }, this.gauges, this.answered, this.died);
    this.thread = thread;
    for (const request of this.unsent) thread.send(request);
    this.unsent = [];
  }

  send(request: Request): void {
    if (this.thread) this.thread.send(request);
    else this.unsent.push(request);
  }

  /** Withdraws a request if no thread has it yet. */
  withdraw(request: Request): void {
    this.unsent = this.unsent.filter((other) => other !== request);
  }

  /** After a success the pause is short again. */
  worked(): void {
    this.backoff = BACKOFF.shortest;
  }

  /** How long a thread has owed an answer, or there has been no thread, in milliseconds. */
  get silence(): number {
    return this.thread ? this.thread.silence : performance.now() - this.diedAt;
  }

  /** Starts no further thread. */
  stopRestarting(): void {
    this.ending = true;
  }

  /** Says that the thread is about to end, which is then no death; false if there is no thread. */
  expectEnd(): boolean {
    if (this.thread) this.thread.closed = true;
    return this.thread !== undefined;
  }

  private readonly died = (cause: Error): void => {
    this.thread = undefined;
    this.diedAt = performance.now();
    this.log.error({ err: cause }, "the thread that writes to SQLite died; it is started again");
    this.lost(cause);
    this.startAgain();
  };

  private startAgain(): void {
    setTimeout(async () => {
      try {
        if (!this.ending) await this.start(false);
      } catch (err) {
        this.log.error({ err }, "the thread that writes to SQLite cannot start; it is tried again");
        this.startAgain();
      }
    }, this.backoff).unref();
    this.backoff = Math.min(2 * this.backoff, BACKOFF.longest);
  }
}
