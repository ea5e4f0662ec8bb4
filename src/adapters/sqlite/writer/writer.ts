import { once } from "node:events";
import { access } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { StorageLog } from "../../../storages/storage-adapter.js";
import type { DatabaseFile } from "../database.js";
import { startError } from "../errors.js";
import { Commits } from "./commits.js";
import type { Answer, Order, Work } from "./messages.js";

/** How long to wait after the death of a thread before the next one starts, in milliseconds. */
const PAUSE = 200;

/** After how long without an answer of the thread the storage is not ready, in milliseconds. */
const UNREADY = 2000;

/**
 * Once the thread has owed an answer for LATE milliseconds, only so many may wait: more would take the places of
 * requests that the service can answer (PETSTORE_MAX_IN_FLIGHT is 1000 by default).
 */
const LATE = 1000;
const MAX_WAITING = 500;

/**
 * How long a batch waits for the next creates of the clients that the last one has answered: this share of the last
 * commit's time, and at most so many milliseconds. Otherwise half of the clients wait while the other half is committed.
 */
const GATHERING = { part: 0.4, most: 10 };

interface Waiting {
  readonly work: Work;
  readonly resolve: (result: never) => void;
  readonly reject: (cause: Error) => void;
}

/**
 * Writes to the file through a thread, so that the event loop never waits for the disk or a lock. The thread has one
 * batch at a time; whatever comes meanwhile is the next one.
 */
export class Writer {
  readonly commits = new Commits();
  private thread: Worker | undefined;
  private starting: Promise<void> | undefined;
  private waiting: Waiting[] = [];
  /** The work that the thread has. */
  private batch: Waiting[] = [];
  /** While the timer runs, a batch waits until as many have come as the last one had, with those that waited then. */
  private gathering: NodeJS.Timeout | undefined;
  private expected = 0;
  /** Why the last commit failed, or the thread died. */
  private failure: Error | undefined;
  private closing = false;

  private constructor(
    private readonly file: DatabaseFile,
    private readonly log: StorageLog,
  ) {}

  /** @throws Error that says what is wrong with the file and what to do about it */
  static async open(file: DatabaseFile, log: StorageLog): Promise<Writer> {
    const writer = new Writer(file, log);
    await writer.start();
    return writer;
  }

  /** Resolves once the work is on the disk. If it rejects, the thread may still commit it, or have committed it. */
  ask<Result>(work: Work): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { thread, commits, waiting } = this;
      if (!thread || (commits.running > LATE && waiting.length >= MAX_WAITING))
        reject(this.failure ?? new Error("Too much waits to be written."));
      else {
        waiting.push({ work, resolve, reject });
        // The first one waits for those that come in the same turn of the event loop.
        if (waiting.length === 1 || waiting.length === this.expected) setImmediate(this.send);
      }
    });
  }

  /** Resolves if the thread can probably commit now. If the last commit failed, it tries. */
  async ping(): Promise<void> {
    if (this.commits.running > UNREADY) throw new Error("The disk, or a lock, lets no commit end.");
    if (this.failure) await this.ask({ does: "probe" });
  }

  /** Resolves once all work is done, and the file closed. */
  async close(): Promise<void> {
    this.closing = true;
    await this.starting;
    while (this.waiting.length + this.batch.length > 0) await sleep(1);
    if (!this.thread) return;
    this.thread.postMessage({} satisfies Order);
    await once(this.thread, "exit");
  }

  /** Starts a thread, which opens the file. */
  private async start(): Promise<void> {
    const thread = new Worker(new URL("./thread.js", import.meta.url), {
      workerData: this.file,
      // The options of the process may be for its own start alone, such as `--eval` and `--import`.
      execArgv: [],
      // The thread prints nothing. If its streams were piped to the process's own, the process would end once nobody
      // reads those.
      stdout: true,
      stderr: true,
    });
    await once(thread, "message");
    thread.on("message", this.answered);
    thread.on("error", (cause) => {
      this.failure = cause;
    });
    thread.on("exit", this.ended);
    this.thread = thread;
  }

  private readonly ended = (): void => {
    this.thread = undefined;
    this.failure ??= new Error("The thread that writes to SQLite ended.");
    if (this.batch.length > 0) this.commits.end();
    for (const { reject } of [...this.batch.splice(0), ...this.waiting.splice(0)]) reject(this.failure);
    if (this.closing) return;
    this.log.error({ err: this.failure }, "the thread that writes to SQLite died; it is started again");
    this.starting = this.startAgain();
  };

  /** Reads go on meanwhile. A file that is gone is not made anew. */
  private async startAgain(): Promise<void> {
    while (!this.thread && !this.closing) {
      await sleep(PAUSE);
      try {
        await access(this.file.path);
        await this.start();
      } catch (error) {
        this.failure = startError(this.file.name, error);
      }
    }
  }

  private readonly send = (): void => {
    if (!this.thread || this.batch.length > 0 || this.waiting.length === 0) return;
    if (this.gathering && this.waiting.length < this.expected) return;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    this.batch = this.waiting.splice(0);
    this.commits.begin();
    this.thread.postMessage({ commit: this.batch.map(({ work }) => work) } satisfies Order);
  };

  private readonly answered = (answer: Answer): void => {
    const taken = this.commits.end();
    const batch = this.batch.splice(0);
    if ("failure" in answer) {
      const { message, errcode } = answer.failure;
      const failure = Object.assign(new Error(message), { errcode });
      this.failure = failure;
      for (const { reject } of batch) reject(failure);
    } else {
      this.failure = undefined;
      for (const [index, { resolve }] of batch.entries()) resolve(answer.results[index] as never);
    }
    this.expected = batch.length + this.waiting.length;
    const pause = Math.min(GATHERING.part * taken, GATHERING.most);
    if (pause >= 1) this.gathering = setTimeout(this.stopGathering, pause);
    setImmediate(this.send);
  };

  private readonly stopGathering = (): void => {
    this.gathering = undefined;
    this.send();
  };
}
