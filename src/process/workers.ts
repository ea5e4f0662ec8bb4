import cluster from "node:cluster";
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Readiness } from "../adapters/http/admin.js";
import { handOnUntaken } from "../adapters/http/server/node-internals.js";
import { WorkerMetrics } from "../adapters/metrics/worker-metrics.js";
import type { Log } from "./log.js";
import { type ExitCause, WorkerProcess } from "./worker-process.js";

/** How long a dead worker's place stays empty, in milliseconds: twice as long after each death, within bounds. */
const BACKOFF = { shortest: 100, longest: 10_000 };

/** How long a worker must have served for its death to count as the first, in milliseconds. */
const PROVEN = 60_000;

/** How long a worker that takes the place of another may take to listen, in milliseconds. */
const START_PATIENCE = 60_000;

/** Keeps a number of worker processes running, which share the API's port. Each runs `worker.ts`. */
export class Workers {
  private readonly places: (WorkerProcess | undefined)[];
  /** For each place the last task that was queued there. */
  private readonly turns: Promise<unknown>[];
  private readonly running = new Set<WorkerProcess>();
  private readonly log: Logger;
  private readonly metrics: WorkerMetrics;
  private replacing: Promise<void> = Promise.resolve();
  /** Whether a replacement is queued that has not begun. */
  private willReplace = false;
  private stopping = false;

  /** @param inherited whether the API's socket was handed over; connections then wait in it while nobody serves. */
  constructor(count: number, { logger, lostLines }: Log, inherited: boolean) {
    // Otherwise the primary takes connections for the workers, and loses those that none of them takes before a stop.
    if (inherited) cluster.schedulingPolicy = cluster.SCHED_NONE;
    this.log = logger;
    this.metrics = new WorkerMetrics(logger, lostLines);
    this.places = new Array(count).fill(undefined);
    this.turns = new Array(count).fill(Promise.resolve());
  }

  /**
   * Starts the workers, and gives the address of the API once all of them listen.
   *
   * @throws Error that says why they cannot start.
   */
  async start(): Promise<string> {
    // The first worker starts alone: a fault that keeps it from starting would also keep the others from starting.
    const [first, ...others] = this.places.keys();
    const address = await this.startWorker(first as number);
    await Promise.all(others.map((place) => this.startWorker(place)));
    return address;
  }

  /**
   * Replaces the workers one by one, each once its successor listens, so that no request fails. All calls that come during
   * a replacement share the next one.
   */
  replaceAll(patience: number): Promise<void> {
    if (this.willReplace) return this.replacing;
    this.willReplace = true;
    this.replacing = this.replacing.then(async () => {
      this.willReplace = false;
      this.log.info("replacing workers");
      for (const place of this.places.keys()) {
        let old: WorkerProcess | undefined;
        try {
          old = await this.inTurn(place, () => this.replace(place));
        } catch (err) {
          this.log.error({ err }, "workers not replaced, since a new one does not start; the old ones go on");
          return;
        }
        if (this.stopping) return;
        await old?.stop(patience, true);
      }
      this.log.info({ workers: this.places.length }, "workers replaced");
    });
    return this.replacing;
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
    await Promise.all([...this.running].map((worker) => worker.kill()));
  }

  /** Ready if every worker in its place is; read-only if none takes creates, not even one that was replaced. */
  async findReadiness(): Promise<Readiness> {
    if (this.stopping) return { unready: "shutting_down", readOnly: false };
    const serving = this.serving();
    const answers = await Promise.all(serving.map((worker) => worker.findReadiness()));
    const inPlace = answers.filter((_, index) => this.places.includes(serving[index]));
    return {
      unready: inPlace.length === 0 ? "overloaded" : inPlace.find(({ unready }) => unready)?.unready,
      readOnly: answers.every(({ readOnly }) => readOnly),
    };
  }

  /** The metrics of all workers, added up. The totals include the workers that have ended. */
  async readMetrics(): Promise<{ type: string; text: string }> {
    const workers = this.serving();
    await Promise.all(workers.map((worker) => worker.readMetrics()));
    // A worker that has ended meanwhile is in the totals.
    const running = workers.filter((worker) => this.running.has(worker));
    return this.metrics.read(
      running.map((worker) => worker.lastMetrics),
      running.length,
    );
  }

  /** The workers that listen, or have listened. One that starts answers no order but `alive`. */
  private serving(): WorkerProcess[] {
    return [...this.running].filter((worker) => worker.serves);
  }

  /** Runs one task at a time for each place: of two workers started there, one would be forgotten and never stopped. */
  private inTurn<T>(place: number, task: () => Promise<T>): Promise<T> {
    const done = (this.turns[place] as Promise<unknown>).then(task);
    this.turns[place] = done.catch(() => {});
    return done;
  }

  /** Fills a place with a new worker. Resolves to the old one, which still serves. */
  private async replace(place: number): Promise<WorkerProcess | undefined> {
    if (this.stopping) return undefined;
    const old = this.places[place];
    await this.startWorker(place, { patience: START_PATIENCE });
    return old;
  }

  /**
   * Fills a place with a new worker. Resolves to its address once it listens. Without a `patience` in milliseconds the
   * worker may take any time: the first start perhaps waits for a storage.
   */
  private async startWorker(
    place: number,
    { patience, backoff = BACKOFF.shortest }: { patience?: number; backoff?: number } = {},
  ): Promise<string> {
    // This resolves the program's link each time, since it may lead to another version by now.
    const program = dirname(realpathSync(process.argv[1] as string));
    cluster.setupPrimary({ exec: join(program, "worker.js"), args: [] });
    const forked = cluster.fork();
    handOnUntaken(forked.process, () =>
      this.places.some((other) => other && other.pid !== forked.process.pid),
    );
    const worker = new WorkerProcess(forked, backoff);
    this.running.add(worker);
    const exited = worker.exited.finally(() => {
      this.running.delete(worker);
      this.metrics.retire(worker.lastMetrics);
    });
    const address = await (patience === undefined ? worker.listening : worker.listeningWithin(patience));
    this.places[place] = worker;
    exited.then((cause) => this.replaceDead(place, worker, cause));
    return address;
  }

  private async replaceDead(place: number, dead: WorkerProcess, cause: ExitCause): Promise<void> {
    if (this.places[place] !== dead || this.stopping) return;
    this.places[place] = undefined;
    this.metrics.workerDied();
    this.log.error({ worker: dead.pid, ...cause }, "worker died; it will be replaced");
    let pause = performance.now() - dead.started > PROVEN ? BACKOFF.shortest : dead.backoff;
    for (;;) {
      await sleep(pause);
      pause = Math.min(pause * 2, BACKOFF.longest);
      try {
        await this.inTurn(place, async () => {
          // Meanwhile a reload may have filled the place, or a stop may have begun.
          if (this.places[place] === undefined && !this.stopping) {
            await this.startWorker(place, { patience: START_PATIENCE, backoff: pause });
          }
        });
        return;
      } catch (err) {
        this.log.error({ err, retryAfterMs: pause }, "worker not replaced; it will be tried again");
      }
    }
  }
}
