import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { DatabaseFile } from "./database.js";
import type { Job, Outcome, Result } from "./writer-thread.js";

/**
 * Writes on its own thread, so that the event loop waits for no lock or disk. Jobs that arrive during a
 * commit share the next transaction. If the thread dies, its uncaught error ends the process.
 */
export class Writer {
  private queue: Job[] = [];
  /** Settles with the queue's batch, or with the batch in flight if the queue is empty. */
  private outcomes: Promise<readonly Outcome[]> = Promise.resolve([]);

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

  /** Resolves once the job is on disk. An empty job proves that the thread runs and can take the lock. */
  async run(job: Job): Promise<Result> {
    const index = this.queue.push(job) - 1;
    if (index === 0) this.outcomes = this.commit(this.outcomes);
    const outcome = (await this.outcomes)[index];
    if (outcome && "changes" in outcome) return outcome;
    throw Object.assign(new Error(outcome?.message), outcome);
  }

  /** Finishes the queue, and closes the file. Only the batch in flight waits for a lock as long as usual. */
  async close(): Promise<void> {
    this.thread.postMessage("closing");
    await this.outcomes;
    this.thread.postMessage("close");
    await once(this.thread, "exit");
  }

  private async commit(previous: Promise<unknown>): Promise<readonly Outcome[]> {
    await previous;
    // Jobs of one turn, and of callers that immediately write again, then share a transaction.
    await setImmediate();
    const batch = this.queue;
    this.queue = [];
    this.thread.postMessage(batch);
    const [outcomes] = await once(this.thread, "message");
    return outcomes;
  }
}
