import type { Logger } from "pino";
import { combine, type MetricReading, reading } from "./readings.js";

type Readings = readonly MetricReading[];

/** Adds up the metrics of several worker processes. */
export class WorkerMetrics {
  /** The totals of workers that have ended. Without them sums would fall, which Prometheus takes for a restart. */
  private retired: Promise<Readings> = Promise.resolve([]);
  private deaths = 0;

  constructor(private readonly log: Logger) {}

  workerDied(): void {
    this.deaths++;
  }

  /** Keeps the totals of a worker that has ended; leaves them out if they are those of another version and do not fit. */
  retire(last: Readings): void {
    const totals = last.filter(({ type }) => type !== "gauge");
    this.retired = this.retired.then(async (retired) => {
      try {
        return (await combine([retired, totals]).getMetricsAsJSON()) as unknown as Readings;
      } catch (err) {
        this.log.error({ err }, "the totals of a worker that ended are lost; the metrics go on without them");
        return retired;
      }
    });
  }

  /**
   * The sum of the workers' metrics in Prometheus's text format, with its media type.
   *
   * @param readings of each worker, from its last answer, which is an older one if the worker is late
   * (`worker-process.ts`)
   */
  async read(readings: readonly Readings[]): Promise<{ type: string; text: string }> {
    const own = [
      reading("petstore_worker_deaths_total", "Workers that died and were replaced.", "counter", this.deaths),
      reading("petstore_workers", "Worker processes that run.", "gauge", readings.length),
    ];
    const sums = combine([own, await this.retired, ...readings]);
    return { type: sums.contentType, text: await sums.metrics() };
  }
}
