import type { MetricReading } from "./totals.js";

type Readings = readonly MetricReading[];

/** Adds up the metrics of several worker processes. */
export class WorkerMetrics {
  /** What workers that have ended had counted: without it totals would fall, which Prometheus takes for a restart. */
  private retired: Promise<Readings> = Promise.resolve([]);
  private deaths = 0;

  workerDied(): void {
    this.deaths++;
  }

  /** Keeps what a worker had counted until it ended. */
  retire(last: Readings): void {
    const totals = last.filter(({ type }) => type !== "gauge");
    this.retired = this.retired.then(async (retired) => {
      const registry = await aggregate([retired, totals]);
      return (await registry.getMetricsAsJSON()) as unknown as Readings;
    });
  }

  /** The sum of the workers' metrics in Prometheus's text format, with its media type. */
  async read(readings: readonly Readings[], workers: number): Promise<{ type: string; text: string }> {
    const own = [
      reading("petstore_worker_deaths_total", "Workers that died and were replaced.", "counter", this.deaths),
      reading("petstore_workers", "Worker processes that run.", "gauge", workers),
    ];
    const registry = await aggregate([own, await this.retired, ...readings]);
    return { type: registry.contentType, text: await registry.metrics() };
  }
}

function reading(name: string, help: string, type: "counter" | "gauge", value: number): MetricReading {
  return { name, help, type, aggregator: "sum", values: [{ labels: {}, value }] };
}

async function aggregate(readings: readonly Readings[]) {
  const { AggregatorRegistry } = (await import("prom-client")).default;
  return AggregatorRegistry.aggregate([...readings]);
}
