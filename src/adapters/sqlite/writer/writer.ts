import type { StorageLog } from "../../../application/ports/storage-adapter.js";
import type { DatabaseFile } from "../database.js";
import { sharedNow, WriterGauges } from "./gauges.js";
import type { Answer, Request, Work, WriterFailure } from "./messages.js";
import { RestartedThread } from "./restarted-thread.js";

/** How long work waits for the lock, for the disk, or for a new thread, in milliseconds. */
const PATIENCE = 4000;

/** A thread that has been silent for longer takes no new work: nobody would wait for its answer. */
const STUCK = PATIENCE + 500;

/**
 * Once answers are late by LATE milliseconds, or work fails, only so many callers may wait. More would take
 * the places of requests that the service can answer (PETSTORE_MAX_IN_FLIGHT is 1000 by default).
 */
const LATE = 1000;
const MAX_WAITING = 500;

/** After how much silence the writer is not ready, in milliseconds. */
const UNREADY = 2000;

interface Waiting {
  readonly request: Request;
  readonly amount: number;
  readonly resolve: (result: never) => void;
  readonly reject: (cause: Error) => void;
}

/**
 * Writes to the file through a thread, so that the event loop never waits for the disk or a lock. It gives up
 * work that takes too long. In the thread, `committer.ts` does the work.
 */
export class Writer {
  readonly gauges = new WriterGauges();
  private readonly thread: RestartedThread;
  private numbers = 0;
  /** In the order of their deadlines, since all get the same time. */
  private readonly waiting = new Map<number, Waiting>();
  private amount = 0;
  /** It keeps the process alive as long as somebody waits. */
  private sweep: NodeJS.Timeout | undefined;
  private failure: Error | undefined;
  private probing: Promise<unknown> | undefined;

  private constructor(
    file: DatabaseFile,
    private readonly log: StorageLog,
  ) {
    this.thread = new RestartedThread(file, log, this.gauges, this.settle, this.failAll);
  }

  /** @throws Error that says what is wrong with the file and what to do about it. */
  static async open(file: DatabaseFile, log: StorageLog): Promise<Writer> {
    const writer = new Writer(file, log);
    await writer.thread.start(true);
    return writer;
  }

  /**
   * Resolves to the thread's answer once the work is committed. If it rejects, the work may still be
   * committed, and only the answer too late.
   *
   * @param amount how many callers wait for the work
   */
  async ask<Result>(work: Work, amount = 1): Promise<Result> {
    const refusal = this.refusal(amount);
    if (refusal) throw refusal;
    const request: Request = { number: ++this.numbers, deadline: sharedNow() + PATIENCE, work };
    return new Promise((resolve, reject) => {
      this.waiting.set(request.number, { request, amount, resolve, reject });
      this.amount += amount;
      this.sweep ??= setTimeout(this.giveUp, PATIENCE);
      this.thread.send(request);
    });
  }

  /** Resolves if the thread can probably commit now. If the last work failed, it tries. */
  async ping(): Promise<void> {
    if (this.thread.silence > UNREADY)
      throw this.failure ?? new Error("The writing thread waits for the disk or a lock.");
    if (!this.failure) return;
    this.probing ??= this.ask({ does: "probe" }).finally(() => {
      this.probing = undefined;
    });
    await this.probing;
  }

  /** Resolves once all work is done or given up, and the thread has closed the file or been given up. */
  async close(): Promise<void> {
    this.thread.stopRestarting();
    while (this.waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    if (!this.thread.expectEnd()) return;
    await this.closeFile().catch((err) => {
      this.log.warn(
        { err },
        "the SQLite file is not closed, since the disk does not answer; the next start reads it",
      );
    });
  }

  private async closeFile(): Promise<void> {
    // All callers have given up by now, so the thread has had its time.
    if (this.thread.silence > UNREADY) throw this.failure;
    await this.ask({ does: "close" });
  }

  private readonly failAll = (cause: Error): void => {
    this.failure = cause;
    for (const { request } of [...this.waiting.values()]) this.fail(request.number, cause);
  };

  private readonly settle = (answers: readonly Answer[]): void => {
    for (const { number, result, error } of answers) {
      if (error) {
        this.failure = errorOf(error);
        this.fail(number, this.failure);
        continue;
      }
      this.failure = undefined;
      this.thread.worked();
      this.take(number)?.resolve(result as never);
    }
  };

  private readonly giveUp = (): void => {
    this.sweep = undefined;
    const now = sharedNow();
    for (const { request } of [...this.waiting.values()]) {
      if (request.deadline > now) {
        this.sweep = setTimeout(this.giveUp, Math.max(20, request.deadline - now));
        return;
      }
      this.thread.withdraw(request);
      this.failure ??= new Error(
        "The disk, or another program that has locked the file, was waited for too long.",
      );
      this.fail(request.number, this.failure);
    }
  };

  private fail(number: number, cause: Error): void {
    this.take(number)?.reject(cause);
  }

  private take(number: number): Waiting | undefined {
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    this.amount -= waiting?.amount ?? 0;
    if (this.waiting.size === 0) {
      clearTimeout(this.sweep);
      this.sweep = undefined;
    }
    return waiting;
  }

  private refusal(amount: number): Error | undefined {
    const { silence } = this.thread;
    const full = this.amount + amount > MAX_WAITING && (silence > LATE || this.failure);
    return silence > STUCK || full
      ? new Error("Too much waits to be written, or has waited for too long.")
      : undefined;
  }
}

function errorOf({ message, code, errcode }: WriterFailure): Error {
  return Object.assign(new Error(message), { code, errcode });
}
