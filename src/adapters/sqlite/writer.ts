import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { DatabaseFile } from "./database.js";
import type { Job, Reply, Result } from "./writer-thread.js";

interface QueuedJob {
  readonly job: Job;
  resolve(result: Result): void;
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

  /** @throws Error that says what is wrong with the file and how to fix it */
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

  /** Resolves once the job is committed to disk. A job without writes proves that the thread runs and can take the lock. */
  run(job: Job): Promise<Result> {
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

  private readonly settle = (reply: Reply): void => {
    const batch = this.inFlight;
    this.inFlight = [];
    for (const [index, { resolve, reject }] of batch.entries()) {
      if ("message" in reply) reject(Object.assign(new Error(reply.message), reply));
      else resolve(reply[index] as Result);
    }
    // Deferred, so that callers that immediately write again join the next batch.
    setImmediate(this.send);
  };
}
