import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { DatabaseFile } from "./database.js";
import type { Job, Reply, Result, Results } from "./writer-thread.js";

interface QueuedJob {
  readonly job: Job;
  resolve(result: Result | PromiseLike<Result>): void;
  reject(error: Error): void;
}

/**
 * Writes on its own thread, so that the event loop waits for no lock and no disk. Jobs that arrive during a commit share
 * the next transaction. If the thread dies, its uncaught error ends the process.
 */
export class Writer {
  private queue: QueuedJob[] = [];
  /** What the thread is working on. */
  private inFlight: QueuedJob[] = [];

  private constructor(private readonly thread: Worker) {
    thread.on("message", this.settle);
  }

  /** @throws Error that says what is wrong with the file and how to correct it */
  static async open(file: DatabaseFile): Promise<Writer> {
    const thread = new Worker(new URL("./writer-thread.js", import.meta.url), {
      workerData: file,
      // No NODE_OPTIONS and no command-line options, so that the thread does not load an agent again.
      env: {},
      execArgv: [],
      // Otherwise Node would open the streams of the process, and make its pipes non-blocking.
      stdout: true,
      stderr: true,
    });
    await once(thread, "message");
    return new Writer(thread);
  }

  /** Resolves once the job is committed to disk. */
  run<J extends Job>(job: J): Promise<Results[J["name"]]> {
    return new Promise((resolve, reject) => {
      this.queue.push({ job, resolve, reject });
      // Deferred, so that jobs of the same turn of the event loop share a transaction.
      if (this.queue.length === 1) setImmediate(this.send);
    });
  }

  /** Finishes the queue, and closes the file. */
  async close(): Promise<void> {
    while (this.queue.length + this.inFlight.length > 0) await once(this.thread, "message");
    this.thread.postMessage("close");
    await once(this.thread, "exit");
  }

  private readonly send = (): void => {
    if (this.inFlight.length > 0 || this.queue.length === 0) return;
    this.inFlight = this.queue;
    this.queue = [];
    this.thread.postMessage(this.inFlight.map(({ job }) => job));
  };

  private readonly settle = ({ results, failure }: Reply): void => {
    const batch = this.inFlight;
    this.inFlight = [];
    const error = failure && Object.assign(new Error(failure.message), { errcode: failure.errcode });
    for (const [at, { resolve, reject }] of batch.entries()) {
      if (error) reject(error);
      else resolve(results[at]);
    }
    // Deferred, so that callers that go on at once with another write are in the next batch.
    setImmediate(this.send);
  };
}
