import type { Worker } from "node:cluster";
import { EventEmitter, once } from "node:events";
import type { NotReady } from "./adapters/http/admin.js";
import type { MetricReading } from "./adapters/metrics/totals.js";
import type { Answers, Order, Report, SentAnswer } from "./worker-messages.js";

/** How long a worker may take to answer, in milliseconds: longer than a storage may take to answer it. */
const ANSWER_PATIENCE = 6000;

/** How long a worker may take to end once it has stopped serving, in milliseconds. */
const END_PATIENCE = 5000;

export interface ExitCause {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why there was no process at all, e.g. `spawn node EAGAIN`. */
  readonly error?: string;
}

/** A worker as the primary process sees it. */
export class WorkerProcess {
  readonly started = performance.now();
  readonly listening: Promise<string>;
  readonly exited: Promise<ExitCause>;
  /** As far as it told of them, which it does once more when it stops. */
  lastMetrics: readonly MetricReading[] = [];
  private serves = false;
  private readonly reports = new EventEmitter();
  private orders = 0;
  /** What is done with the answer to each order that has none yet; undefined where none will come. */
  private readonly pending = new Map<number, (answer: SentAnswer["answer"] | undefined) => void>();

  constructor(
    private readonly worker: Worker,
    /** How long its place stays empty should it die early, in milliseconds. */
    readonly backoff: number,
  ) {
    worker.on("message", (message: Partial<Report> & Partial<SentAnswer>) => {
      if (message.report === "listening") this.serves = true;
      if (message.report) this.reports.emit(message.report, message);
      if (message.answerTo) this.pending.get(message.answerTo)?.(message.answer);
    });
    this.exited = exitOf(worker).finally(() => {
      for (const settle of this.pending.values()) settle(undefined);
    });
    this.listening = Promise.race([
      once(this.reports, "listening").then(([{ address }]) => address),
      once(this.reports, "failed").then(([{ message }]) => Promise.reject(new Error(message))),
      this.exited.then(({ code, signal, error }) => {
        throw new Error(
          `A worker process ended before it listened (${error ?? signal ?? `exit code ${code}`}).`,
        );
      }),
    ]);
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  async findUnready(): Promise<NotReady | undefined> {
    const answer = await this.ask({ order: "readiness" }, ANSWER_PATIENCE);
    return answer ? answer.unready : "overloaded";
  }

  async readMetrics(): Promise<void> {
    const answer = await this.ask({ order: "metrics" }, ANSWER_PATIENCE);
    if (answer) this.lastMetrics = answer.metrics;
  }

  /** Ends the process; false where requests in flight were cut. */
  async stop(patience: number): Promise<boolean> {
    if (!this.serves) return this.kill().then(() => true);
    const answer = await this.ask({ order: "stop", patience }, patience + END_PATIENCE);
    if (!answer) return this.kill().then(() => false);
    this.lastMetrics = answer.metrics;
    const end = setTimeout(() => this.kill(), END_PATIENCE);
    await this.exited;
    clearTimeout(end);
    return answer.finished;
  }

  async kill(): Promise<void> {
    this.worker.process.kill("SIGKILL");
    await this.exited;
  }

  /** Undefined where it gives no answer in `patience` milliseconds, or ends. */
  private ask<Name extends keyof Answers>(
    order: Order & { order: Name },
    patience: number,
  ): Promise<Answers[Name] | undefined> {
    const id = ++this.orders;
    return new Promise((resolve) => {
      const settle = (answer: SentAnswer["answer"] | undefined) => {
        clearTimeout(timer);
        this.pending.delete(id);
        resolve(answer as Answers[Name] | undefined);
      };
      const timer = setTimeout(settle, patience, undefined);
      this.pending.set(id, settle);
      // An error is that it has just ended.
      this.worker.send({ ...order, id }, (error) => error && settle(undefined));
    });
  }
}

/** Never rejects. */
function exitOf(worker: Worker): Promise<ExitCause> {
  return new Promise((resolve) => {
    worker.on("error", ({ message }) => {
      // Without a process, no exit follows. With one, it is an order that did not reach it: its exit says enough.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, error: message });
    });
    const disconnected = new Promise<void>((resolve) => worker.once("disconnect", resolve));
    // Only once it is disconnected has everything been read that it told.
    worker.once("exit", (code, signal) => disconnected.then(() => resolve({ code, signal })));
  });
}
