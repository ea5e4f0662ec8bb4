import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { DatabaseFile } from "../database.js";
import type { Answer, Batch, Work } from "./messages.js";
import type { Access, AnyOperations } from "./operations.js";

/** After how long without an answer of the thread the storage is not ready, in milliseconds. */
const UNREADY = 2000;

/**
 * Once the thread has owed an answer for LATE milliseconds, only so many may wait: more would take the places of
 * requests that the service can answer (PETSTORE_MAX_IN_FLIGHT is 1000 by default).
 */
const LATE = 1000;
const MAX_WAITING = 500;

/** How long work may wait to begin, in milliseconds: soon after that its client gets a 503. */
const PATIENCE = 4000;

/**
 * How long a batch waits for the next creates of the clients that the last one has answered: this share of the last
 * commit's time, and at most so many milliseconds. Otherwise half of the clients wait while the other half is committed.
 */
const GATHERING = { part: 0.4, most: 10 };

interface Waiting {
  readonly work: Work;
  /** When it came, by `performance.now()`. */
  readonly since: number;
  readonly resolve: (result: never) => void;
  readonly reject: (cause: Error) => void;
}

/**
 * A thread that reads or writes the file, so that the event loop never waits for the disk or a lock. It has one batch at a
 * time; whatever comes meanwhile is the next one. If the thread dies, by a fault of the program or for lack of memory,
 * nobody catches its error: the process ends with it.
 */
export class DatabaseThread<Can extends AnyOperations> {
  private waiting: Waiting[] = [];
  /** The work that the thread has, and since when, by `performance.now()`. */
  private batch: Waiting[] = [];
  private began = 0;
  /** While the timer runs, a batch waits until as many have come as the last one had, with those that waited then. */
  private gathering: NodeJS.Timeout | undefined;
  private expected = 0;
  /** Why the last batch failed. */
  private failure: Error | undefined;

  private constructor(
    private readonly thread: Worker,
    /** The identity of the file. */
    readonly identity: string | undefined,
  ) {
    thread.on("message", this.answered);
  }

  /** @throws Error that says what is wrong with the file and what to do about it */
  static async open<Can extends AnyOperations>(
    access: Access,
    file: DatabaseFile,
  ): Promise<DatabaseThread<Can>> {
    const thread = new Worker(new URL("./thread.js", import.meta.url), {
      workerData: { access, file },
      // The options of the process may be for its own start alone, such as `--eval` and `--import`.
      execArgv: [],
      // The thread prints nothing. If its streams were piped to the process's own, the process would end once nobody
      // reads those.
      stdout: true,
      stderr: true,
    });
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    try {
      const [identity] = await once(thread, "message");
      return new DatabaseThread(thread, identity);
    } catch (error) {
      // The end of the thread closes what it has opened of the file, and may delete the log.
      await ended;
      throw error;
    }
  }

  /** Resolves once the work is done, and on the disk. If it rejects, the thread may still do it, or have done it. */
  ask<Name extends keyof Can & string>(
    does: Name,
    ...[value]: Parameters<Can[Name]>
  ): Promise<ReturnType<Can[Name]>> {
    return this.wait(does, value);
  }

  /** Resolves if the thread does now what it is asked. */
  async ping(): Promise<void> {
    if (this.running > UNREADY) throw new Error("The disk, or a lock, lets nothing end.");
    await this.wait("look", this.failure !== undefined);
  }

  /** Resolves once all work is done, and the file closed. */
  async close(): Promise<void> {
    while (this.waiting.length + this.batch.length > 0) await sleep(1);
    clearTimeout(this.gathering);
    this.thread.postMessage("close" satisfies Batch);
    await once(this.thread, "exit");
  }

  /** How long the thread has had its batch, in milliseconds; 0 if it has none. */
  private get running(): number {
    return this.batch.length === 0 ? 0 : performance.now() - this.began;
  }

  private wait(does: string, value: unknown): Promise<never> {
    return new Promise((resolve, reject) => {
      const { waiting } = this;
      if (this.running > LATE && waiting.length >= MAX_WAITING) {
        reject(this.failure ?? new Error("Too much waits for the disk."));
        return;
      }
      waiting.push({ work: { does, value }, since: performance.now(), resolve, reject });
      // The first one waits for those that come in the same turn of the event loop.
      if (waiting.length === 1 || waiting.length === this.expected) setImmediate(this.send);
    });
  }

  private readonly send = (): void => {
    if (this.batch.length > 0 || this.waiting.length === 0) return;
    if (this.gathering && this.waiting.length < this.expected) return;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    this.began = performance.now();
    for (const one of this.waiting.splice(0)) {
      if (this.began - one.since < PATIENCE) this.batch.push(one);
      else one.reject(this.failure ?? new Error("It took too long until the disk was free."));
    }
    if (this.batch.length === 0) return;
    this.thread.postMessage(this.batch.map(({ work }) => work) satisfies Batch);
  };

  private readonly answered = ({ results, failures }: Answer): void => {
    const taken = this.running;
    const batch = this.batch.splice(0);
    this.failure = undefined;
    for (const { at, message, errcode } of failures) {
      this.failure = Object.assign(new Error(message), { errcode });
      batch[at]?.reject(this.failure);
    }
    for (const [at, { resolve }] of batch.entries()) resolve(results[at] as never);
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
