import cluster from "node:cluster";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Readiness } from "../adapters/http/admin.js";
import { WorkerMetrics } from "../adapters/metrics/worker-metrics.js";
import type { Log } from "./log.js";
import { WorkerProcess } from "./worker-process.js";

/** How long a dead worker's place stays empty, in milliseconds: twice as long after each early death, within bounds. */
const PAUSE = { shortest: 100, longest: 10_000 };

/** How long a worker must have run for its death not to count as an early one, in milliseconds. */
const PROVEN = 60_000;

/** Keeps a number of worker processes running, which share the API's port. Each runs `worker.ts`. */
export class Workers {
  private readonly places: WorkerProcess[] = [];
  private readonly running = new Set<WorkerProcess>();
  private readonly log: Logger;
  private readonly metrics: WorkerMetrics;
  private replacing: Promise<void> = Promise.resolve();
  /** Whether a replacement is asked for that has not begun. */
  private willReplace = false;
  private stopping = false;

  constructor(
    private readonly count: number,
    private readonly readOnly: boolean,
    { logger }: Log,
  ) {
    this.log = logger;
    this.metrics = new WorkerMetrics(logger);
    // The workers accept connections by themselves: one that no worker has taken waits in the kernel for another
    // worker. The primary would lose it with the worker to which it has handed it.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
  }

  /**
   * Starts the workers, and gives the address of the API once all of them listen.
   *
   * @throws Error that says why they cannot start
   */
  async start(): Promise<string> {
    // The first worker starts alone: a fault that keeps it from starting would keep the others, too.
    const address = await this.fill(0, await this.launch()).listening;
    const others = Array.from({ length: this.count - 1 }, async (_, index) => {
      this.fill(index + 1, await this.launch());
    });
    await Promise.all(others);
    return address;
  }

  /** Replaces the workers one by one. All calls that come during a replacement share the next one. */
  replaceAll(patience: number): void {
    if (this.willReplace) return;
    this.willReplace = true;
    this.replacing = this.replacing.then(() => {
      this.willReplace = false;
      return this.replaceNow(patience);
    });
  }

  /** Each worker stops once its successor listens, so that no request fails. */
  private async replaceNow(patience: number): Promise<void> {
    this.log.info("replacing workers");
    for (const place of this.places.keys()) {
      if (this.stopping) return;
      try {
        const successor = await this.launch();
        const old = this.places[place];
        this.fill(place, successor);
        await old?.stop(patience);
      } catch (err) {
        this.log.error({ err }, "workers not replaced, since a new one does not start; the old ones go on");
        return;
      }
    }
    this.log.info({ workers: this.count }, "workers replaced");
  }

  /** Stops all workers. Resolves to false if one had to cut requests in flight after `patience` milliseconds. */
  async stop(patience: number): Promise<boolean> {
    this.stopping = true;
    const finished = await Promise.all([...this.running].map((worker) => worker.stop(patience)));
    return finished.every(Boolean);
  }

  /** Ends every process that is still there. */
  async close(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.running].map((worker) => worker.kill("the program ends")));
  }

  /** Ready if every worker that has a place is. */
  async findReadiness(): Promise<Readiness> {
    const { readOnly } = this;
    if (this.stopping) return { unready: "shutting_down", readOnly };
    const serving = this.places.filter((worker) => this.running.has(worker));
    if (serving.length === 0) return { unready: "overloaded", readOnly };
    const answers = await Promise.all(serving.map((worker) => worker.findUnready()));
    return { unready: answers.find(Boolean), readOnly };
  }

  /** The metrics of all workers, added up. The totals include the workers that have ended. */
  async readMetrics(): Promise<{ type: string; text: string }> {
    const workers = [...this.running].filter(({ listens }) => listens);
    await Promise.all(workers.map((worker) => worker.readMetrics()));
    // One that has ended meanwhile is in the totals.
    const readings = workers.filter((worker) => this.running.has(worker)).map(({ metrics }) => metrics);
    return this.metrics.read(readings, readings.length);
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

  private fill(place: number, worker: WorkerProcess, pause = PAUSE.shortest): WorkerProcess {
    this.places[place] = worker;
    worker.ended.then((reason) => this.replaceDead(place, worker, reason, pause));
    return worker;
  }

  private async replaceDead(
    place: number,
    dead: WorkerProcess,
    reason: string,
    pause: number,
  ): Promise<void> {
    const isVacant = () => this.places[place] === dead && !this.stopping;
    if (!isVacant()) return;
    this.metrics.workerDied();
    this.log.error({ worker: dead.pid, reason }, "worker died; it will be replaced");
    let next = performance.now() - dead.started > PROVEN ? PAUSE.shortest : pause;
    while (isVacant()) {
      await sleep(next);
      next = Math.min(next * 2, PAUSE.longest);
      if (!isVacant()) return;
      try {
        const successor = await this.launch();
        // A replacement of all workers may have filled the place meanwhile.
        if (isVacant()) this.fill(place, successor, next);
        else await successor.stop(0);
      } catch (err) {
        if (!this.stopping)
          this.log.error({ err, retryAfterMs: next }, "worker not replaced; it will be tried again");
      }
    }
  }
}
