import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { DatabaseFile } from "./database.js";
import type { Job, Reply, Result } from "./writer-thread.js";

/**
 * Writes on its own thread, so that the event loop waits for no lock and no disk. Jobs that arrive during a commit share
 * the next transaction. If the thread dies, its uncaught error ends the process.
 */
export class Writer {
  private queue: Job[] = [];
  /** The results of the last batch: the queue, or if it is empty the batch in flight. */
  private results: Promise<readonly Result[]> = Promise.resolve([]);

  private constructor(private readonly thread: Worker) {}

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
  async run(job: Job): Promise<Result> {
    const index = this.queue.push(job) - 1;
    if (index === 0) this.results = this.commit(this.results);
    return (await this.results)[index] as Result;
  }

  /** Finishes the queue, and closes the file. */
  async close(): Promise<void> {
    await this.results.catch(() => undefined);
    this.thread.postMessage("close");
    await once(this.thread, "exit");
  }

  private async commit(previous: Promise<unknown>): Promise<readonly Result[]> {
    await previous.catch(() => undefined);
    // So that jobs of the same turn of the event loop, and of callers that immediately write again, share a transaction.
    await setImmediate();
    const batch = this.queue;
    this.queue = [];
    this.thread.postMessage(batch);
    const reply = await new Promise<Reply>((resolve) => this.thread.once("message", resolve));
    if ("message" in reply) throw Object.assign(new Error(reply.message), reply);
    return reply;
  }
}
