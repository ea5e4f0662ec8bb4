import cluster from "node:cluster";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Build, NotReady } from "../adapters/http/admin.js";
import { WorkerMetrics } from "../adapters/metrics/worker-metrics.js";
import type { RunningService } from "./running-service.js";
import { WorkerProcess } from "./worker-process.js";

/** The shortest time from the start of a worker that dies to the start of the next one in its place, in milliseconds. */
const PAUSE = 1000;

/** Keeps a number of worker processes running, which share the API's port. Each runs `worker.ts`. */
export class Workers implements RunningService {
  readonly failed: Promise<never>;
  private fail!: (reason: Error) => void;
  private readonly places: WorkerProcess[] = [];
  private readonly running = new Set<WorkerProcess>();
  private readonly metrics: WorkerMetrics;
  private renewing: Promise<void> = Promise.resolve();
  /** Whether a renewal is asked for that has not begun. */
  private willRenew = false;
  private stopping = false;

  constructor(
    private readonly count: number,
    private readonly log: Logger,
  ) {
    this.metrics = new WorkerMetrics(log);
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    // At a failure during the start nobody may be waiting for it yet.
    this.failed.catch(() => {});
    // The workers accept connections by themselves: one that no worker has taken waits in the kernel for another
    // worker. The primary would lose it with the worker to which it has handed it.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
  }

  /**
   * Starts the workers, and gives the address of the API once all of them listen.
   *
   * @throws Error that says why they cannot start
   */
  async listen(): Promise<string> {
    // The first worker starts alone: a fault that keeps it from starting would keep the others, too.
    const first = await this.launch();
    this.keep(0, first);
    const others = Array.from({ length: this.count - 1 }, async (_, index) => {
      this.keep(index + 1, await this.launch());
    });
    await Promise.race([Promise.all(others), this.failed]);
    return first.listening;
  }

  /** Replaces the workers one by one. All calls that come meanwhile share the next replacement. */
  renew(patience: number): void {
    if (this.willRenew) return;
    this.willRenew = true;
    this.renewing = this.renewing.then(() => {
      this.willRenew = false;
      return this.replaceAll(patience);
    });
  }

  /** Each worker stops once its successor listens, so that no request fails. */
  private async replaceAll(patience: number): Promise<void> {
    this.log.info("replacing workers");
    for (const place of this.places.keys()) {
      if (this.stopping) return;
      try {
        const successor = await this.launch();
        const old = this.places[place];
        this.keep(place, successor);
        await old?.stop(patience);
      } catch (err) {
        if (this.stopping) return;
        this.log.error({ err }, "workers not replaced, since a new one does not start; the old ones go on");
        return;
      }
    }
    this.log.info({ workers: this.workerBuilds() }, "workers replaced");
  }

  async stop(patience: number): Promise<boolean> {
    this.stopping = true;
    const finished = await Promise.all([...this.running].map((worker) => worker.stop(patience)));
    return finished.every(Boolean);
  }

  /** The reason why a worker that has a place is not ready; undefined if all are. */
  async findUnready(): Promise<NotReady | undefined> {
    if (this.stopping) return "shutting_down";
    const serving = this.places.filter((worker) => this.running.has(worker));
    if (serving.length === 0) return "overloaded";
    const answers = await Promise.all(serving.map((worker) => worker.findUnready()));
    return answers.find(Boolean);
  }

  workerBuilds(): readonly Build[] {
    return [...this.running].flatMap(({ build = [] }) => build);
  }

  /** The metrics of all workers, added up. The totals include the workers that have ended. */
  async readMetrics(): Promise<{ type: string; text: string }> {
    const workers = [...this.running].filter(({ listens }) => listens);
    await Promise.all(workers.map((worker) => worker.readMetrics()));
    // One that has ended meanwhile is in the totals.
    const readings = workers.filter((worker) => this.running.has(worker)).map(({ metrics }) => metrics);
    return this.metrics.read(readings);
  }

  /** Starts a worker, and resolves once it listens. */
  private async launch(): Promise<WorkerProcess> {
    // This resolves the program's link each time, since it may lead to another version by now.
    const program = dirname(realpathSync(process.argv[1] as string));
    cluster.setupPrimary({ exec: join(program, "worker.js"), args: [] });
    const worker = new WorkerProcess(cluster.fork());
    this.running.add(worker);
    worker.ended.then(() => {
      this.running.delete(worker);
      this.metrics.retire(worker.metrics);
    });
    await worker.listening;
    return worker;
  }

  /**
   * Gives a place to a worker, and to another one once it dies. With the last worker that listens Node has closed the
   * API's socket, and no successor could listen on one from systemd: then the service fails.
   */
  private async keep(place: number, worker: WorkerProcess): Promise<void> {
    this.places[place] = worker;
    const reason = await worker.ended;
    // A replacement of all workers may fill the place at any time.
    const isVacant = () => this.places[place] === worker && !this.stopping;
    if (!isVacant()) return;
    this.metrics.workerDied();
    const isLast = ![...this.running].some(({ listens }) => listens);
    this.log.error(
      { worker: worker.pid, reason },
      isLast ? "worker died; it was the last one, and the program ends" : "worker died; it will be replaced",
    );
    if (isLast) {
      this.stopping = true;
      this.fail(new Error("No worker process is left; the log says why they died."));
      return;
    }
    await sleep(Math.max(0, worker.started + PAUSE - performance.now()));
    while (isVacant()) {
      try {
        const successor = await this.launch();
        if (isVacant()) this.keep(place, successor);
        else await successor.stop(0);
      } catch (err) {
        if (this.stopping) return;
        this.log.error({ err, retryAfterMs: PAUSE }, "worker not replaced; it will be tried again");
        await sleep(PAUSE);
      }
    }
  }
}
