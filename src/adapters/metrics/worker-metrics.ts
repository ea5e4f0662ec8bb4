import type { Logger } from "pino";
import { loadPromClient } from "./load-prom-client.js";
import { type MetricReading, Reading } from "./metric-types.js";

type Readings = readonly MetricReading[];

/** Adds up the metrics of several worker processes. */
export class WorkerMetrics {
  /**
   * The totals of workers that have ended. Without them sums would fall, which Prometheus takes for a
   * restart.
   */
  private retired: Promise<Readings> = Promise.resolve([]);
  private deaths = 0;

  constructor(
    private readonly log: Logger,
    /** How many lines of the log the primary process has lost. */
    private readonly lostLines: () => number,
  ) {}

  workerDied(): void {
    this.deaths++;
  }

  /** Keeps the totals of a worker that has ended. */
  retire(last: Readings): void {
    const totals = last.filter(({ type }) => type !== "gauge");
    this.retired = this.retired.then((retired) => this.addUp(retired, totals));
  }

  /** Leaves `totals` out if prom-client cannot add them, perhaps since they come from another version. */
  private async addUp(retired: Readings, totals: Readings): Promise<Readings> {
    try {
      const registry = await aggregate([retired, totals]);
      return (await registry.getMetricsAsJSON()) as unknown as Readings;
    } catch (err) {
      this.log.error({ err }, "the totals of a worker that ended are lost; the metrics go on without them");
      return retired;
    }
  }

  /**
   * The sum of the workers' metrics in Prometheus's text format, with its media type.
   *
   * @param readings of each worker, from its last answer, which is an older one if the worker is late
   * (`worker-process.ts`)
   */
  async read(readings: readonly Readings[], workers: number): Promise<{ type: string; text: string }> {
    const own = [
      new Reading(
        "petstore_worker_deaths_total",
        "Workers that died and were replaced.",
        "counter",
        () => this.deaths,
      ),
      new Reading("petstore_workers", "Worker processes that run.", "gauge", () => workers),
      new Reading(
        "petstore_log_lines_lost_total",
        "Lines of the log that could not be written.",
        "counter",
        this.lostLines,
      ),
    ];
    const ownReadings = await Promise.all(own.map((reading) => reading.get()));
    const registry = await aggregate([ownReadings, await this.retired, ...readings]);
    return { type: registry.contentType, text: await registry.metrics() };
  }
}

async function aggregate(readings: readonly Readings[]) {
  const { AggregatorRegistry } = await loadPromClient();
  return AggregatorRegistry.aggregate([...readings]);
}
