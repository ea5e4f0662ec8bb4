import type { Worker } from "node:cluster";
import { EventEmitter, once } from "node:events";
import type { Readiness } from "../adapters/http/admin.js";
import type { MetricReading } from "../adapters/metrics/metric-types.js";
import { SettingsError } from "../settings/settings-error.js";
import type { Report } from "./worker-messages.js";
import { WorkerOrders } from "./worker-orders.js";

/** How long a worker may take to answer, in milliseconds: longer than a storage may take to answer it. */
const ANSWER_PATIENCE = 6000;

/** How long a worker may take to end once it has stopped serving, in milliseconds. */
const END_PATIENCE = 5000;

/**
 * How often the primary asks a worker whether it is alive, in milliseconds. After six questions in vain it kills the
 * worker.
 */
const WATCH_INTERVAL = 5000;
const SILENCE = 6 * WATCH_INTERVAL;

export interface ExitCause {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why there is no process, e.g. `spawn node EAGAIN`, or why the primary killed it. */
  readonly error?: string;
}

/** A worker as the primary process sees it. `workers.ts` starts and replaces it. */
export class WorkerProcess {
  readonly started = performance.now();
  readonly listening: Promise<string>;
  readonly exited: Promise<ExitCause>;
  /** The metrics that it sent last; it sends them once more when it stops. */
  lastMetrics: readonly MetricReading[] = [];
  /** Whether the worker has listened. */
  serves = false;
  private readonly watch: NodeJS.Timeout;
  private whyKilled: string | undefined;
  private stopped: Promise<boolean> | undefined;
  private readonly reports = new EventEmitter();
  private readonly orders: WorkerOrders;

  constructor(
    private readonly worker: Worker,
    /** How long its place stays empty if it dies early, in milliseconds. */
    readonly backoff: number,
  ) {
    this.orders = new WorkerOrders(worker);
    worker.on("message", (message: Partial<Report>) => {
      if (message.report === "listening") this.serves = true;
      if (message.report) this.reports.emit(message.report, message);
    });
    this.watch = this.keepWatch();
    this.exited = exitOf(worker).then((cause) => {
      clearInterval(this.watch);
      this.orders.giveUp();
      return this.whyKilled ? { ...cause, error: this.whyKilled } : cause;
    });
    this.listening = Promise.race([
      once(this.reports, "listening").then(([{ address }]) => address),
      once(this.reports, "failed").then(([{ message, settings }]) => {
        throw settings ? new SettingsError(message) : new Error(message);
      }),
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

  async findReadiness(): Promise<Readiness> {
    const answer = await this.orders.ask({ order: "readiness" }, ANSWER_PATIENCE);
    return { unready: answer ? answer.unready : "overloaded", readOnly: answer?.readOnly ?? false };
  }

  /** Asks for the metrics. If no answer comes in time, `lastMetrics` stays as it was. */
  async readMetrics(): Promise<void> {
    const answer = await this.orders.ask({ order: "metrics" }, ANSWER_PATIENCE);
    if (answer) this.lastMetrics = answer.metrics;
  }

  /** Ends the process; false if it cut requests in flight. Whoever comes later waits for the stop that has begun. */
  stop(patience: number, replaced = false): Promise<boolean> {
    this.stopped ??= this.stopOnce(patience, replaced);
    return this.stopped;
  }

  private async stopOnce(patience: number, replaced: boolean): Promise<boolean> {
    if (!this.serves) return this.kill().then(() => true);
    const answer = await this.orders.ask({ order: "stop", patience, replaced }, patience + END_PATIENCE);
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

  /** Kills the worker unless it listens within `patience` milliseconds. */
  async listeningWithin(patience: number): Promise<string> {
    const end = setTimeout(() => {
      this.whyKilled = `it did not listen within ${patience / 1000} s`;
      this.kill();
    }, patience);
    return this.listening.finally(() => clearTimeout(end));
  }

  /** Kills it once its event loop stands still. */
  private keepWatch(): NodeJS.Timeout {
    let silence = 0;
    // The sum of the intervals, not a clock: the time for which the whole machine is paused does not count.
    return setInterval(() => {
      if (silence === SILENCE) {
        this.whyKilled = `it gave no sign of life for ${SILENCE / 1000} s`;
        this.kill();
      }
      silence += WATCH_INTERVAL;
      this.orders.ask({ order: "alive" }, SILENCE).then((answer) => {
        if (answer) silence = 0;
      });
    }, WATCH_INTERVAL);
  }
}

/** Never rejects. */
function exitOf(worker: Worker): Promise<ExitCause> {
  return new Promise((resolve) => {
    worker.on("error", ({ message }) => {
      // If there is no process, no exit follows. Otherwise an order did not reach the process, and its exit
      // says enough.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null, error: message });
    });
    // "close" comes once the process has ended and all its messages are read. Cluster's own "disconnect" does not come
    // if the worker dies with a connection that it has been handed and has not taken.
    worker.process.once("close", (code, signal) => resolve({ code, signal }));
  });
}
