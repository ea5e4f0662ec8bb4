import type { Worker } from "node:cluster";
import { EventEmitter, once } from "node:events";
import type { Build, NotReady } from "../adapters/http/admin.js";
import type { MetricReading } from "../adapters/metrics/readings.js";

/**
 * The orders of the primary process to a worker. A reload may replace workers by those of another version: a version that
 * changes these messages says in its upgrade guide not to reload, as 1.1.0 did.
 */
export type Order =
  | { readonly order: "readiness" }
  | { readonly order: "metrics" }
  /** `patience`: how long requests in flight may take, in milliseconds. */
  | { readonly order: "stop"; readonly patience: number };

/** The messages of a worker: at its start `listening` or `failed`, then its answers. */
export type Report =
  | { readonly report: "listening"; readonly address: string; readonly build: Build }
  | { readonly report: "failed"; readonly message: string }
  | { readonly report: "readiness"; readonly unready: NotReady | undefined }
  | { readonly report: "metrics"; readonly metrics: readonly MetricReading[] }
  | { readonly report: "stopped"; readonly finished: boolean; readonly metrics: readonly MetricReading[] };

type ReportOf<Name extends Report["report"]> = Extract<Report, { readonly report: Name }>;

/** How long a worker may take to listen, in milliseconds. */
const START_PATIENCE = 60_000;

/** How long a worker may take to answer, in milliseconds: longer than a storage may take to answer it. */
const ANSWER_PATIENCE = 6000;

/** How long a worker may take to end once it has stopped serving, in milliseconds. */
const END_PATIENCE = 10_000;

/** How often the primary asks for a sign of life, in milliseconds, and how many questions may be open. */
const WATCH = { interval: 5000, open: 6 };

/** A worker as the primary process sees it. */
export class WorkerProcess {
  readonly started = performance.now();
  readonly listening: Promise<string>;
  /** Resolves to the reason once the process has ended. */
  readonly ended: Promise<string>;
  /** Those that it sent last. */
  metrics: readonly MetricReading[] = [];
  listens = false;
  /** Set once it listens. */
  build: Build | undefined;
  private readonly reports = new EventEmitter().setMaxListeners(0);
  private openQuestions = 0;
  private whyKilled: string | undefined;
  private stopped: Promise<boolean> | undefined;

  constructor(private readonly worker: Worker) {
    worker.on("message", (message: Report) => {
      this.openQuestions = 0;
      if ("metrics" in message) this.metrics = message.metrics;
      this.reports.emit(message.report, message);
    });
    this.ended = new Promise((resolve) => {
      // "close" comes once all its messages are read.
      worker.process.once("close", (code, signal) => {
        resolve(this.whyKilled ?? signal ?? `exit code ${code}`);
      });
      // Without a process, e.g. since the system starts no more, no "close" follows.
      worker.on("error", ({ message }) => worker.process.pid === undefined && resolve(message));
    });
    this.listening = this.listen();
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  private async listen(): Promise<string> {
    const late = setTimeout(
      () => this.kill(`it did not listen within ${START_PATIENCE / 1000} s`),
      START_PATIENCE,
    );
    const first = await Promise.race([this.next("listening"), this.next("failed")]);
    clearTimeout(late);
    if (!first) throw new Error(`A worker process ended before it listened (${await this.ended}).`);
    if (first.report === "failed") throw new Error(first.message);
    this.listens = true;
    this.build = first.build;
    this.watch();
    return first.address;
  }

  async findUnready(): Promise<NotReady | undefined> {
    this.send({ order: "readiness" });
    const answer = await this.next("readiness", AbortSignal.timeout(ANSWER_PATIENCE));
    return answer ? answer.unready : "overloaded";
  }

  /** Asks for `metrics`. If no answer comes in time, they stay as they were. */
  async readMetrics(): Promise<void> {
    this.send({ order: "metrics" });
    await this.next("metrics", AbortSignal.timeout(ANSWER_PATIENCE));
  }

  /** Ends the process; false if it cut requests in flight. A later call waits for the stop that has begun. */
  stop(patience: number): Promise<boolean> {
    this.stopped ??= this.stopOnce(patience);
    return this.stopped;
  }

  private async stopOnce(patience: number): Promise<boolean> {
    if (!this.listens) return this.kill("it is not needed any more").then(() => true);
    const late = setTimeout(() => this.kill("it did not end in time"), patience + END_PATIENCE);
    this.send({ order: "stop", patience });
    const answer = await this.next("stopped");
    await this.ended;
    clearTimeout(late);
    return answer?.finished ?? false;
  }

  async kill(reason: string): Promise<void> {
    this.whyKilled ??= reason;
    this.worker.process.kill("SIGKILL");
    await this.ended;
  }

  /** The next report of that name; undefined if the worker ends before, or at the signal. */
  private next<Name extends Report["report"]>(
    name: Name,
    signal?: AbortSignal,
  ): Promise<ReportOf<Name> | undefined> {
    const next = once(this.reports, name, { signal }).then(
      ([report]) => report,
      () => undefined,
    );
    return Promise.race([next, this.ended.then(() => undefined)]);
  }

  private send(order: Order): void {
    // An error means that the worker has just ended.
    this.worker.send(order, () => {});
  }

  /** Kills the worker once its event loop stands still. It counts questions: a pause of the machine is none. */
  private watch(): void {
    const timer = setInterval(() => {
      if (this.openQuestions >= WATCH.open) {
        this.kill(`it gave no sign of life for ${(WATCH.open * WATCH.interval) / 1000} s`);
      }
      this.openQuestions++;
      this.send({ order: "metrics" });
    }, WATCH.interval);
    this.ended.then(() => clearInterval(timer));
  }
}
