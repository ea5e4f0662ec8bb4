import type { Registry } from "prom-client";

/** A metric in the shape in which prom-client adds up those of several processes (`AggregatorRegistry`). */
export interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly aggregator: "sum" | "max";
  readonly values: readonly MetricValue[];
}

interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** If undefined, the metric's own name. */
  readonly metricName?: string;
}

/** Adds up the readings of several processes, or shows those of one. */
export async function combine(readings: readonly (readonly MetricReading[])[]): Promise<Registry> {
  // Loading prom-client takes a tenth of a start, and nothing needs it before somebody reads the metrics.
  const { AggregatorRegistry } = (await import("prom-client")).default;
  return AggregatorRegistry.aggregate([...readings]);
}

/** A single number. */
export function reading(
  name: string,
  help: string,
  type: "counter" | "gauge",
  value: number,
  aggregator: "sum" | "max" = "sum",
): MetricReading {
  return { name, help, type, aggregator, values: [{ labels: {}, value }] };
}

/**
 * Counts events by the values of their labels. The number of different values must be bounded. prom-client's own
 * counters and histograms check and hash the labels of each observation, which takes a tenth of a request.
 */
export class Counter {
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly labelNames: readonly string[],
  ) {}

  increment(...labels: string[]): void {
    const key = labels.join("\0");
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  read(): MetricReading {
    const values = [...this.counts].map(([key, value]) => {
      const labels = key.split("\0").map((label, index) => [this.labelNames[index], label]);
      return { labels: Object.fromEntries(labels), value };
    });
    return { name: this.name, help: this.help, type: "counter", aggregator: "sum", values };
  }
}

/** The upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity];

/** Counts durations by bucket and operation. */
export class DurationHistogram {
  private readonly entries = new Map<string, { readonly buckets: number[]; sum: number }>();

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  observe(operation: string, seconds: number): void {
    let entry = this.entries.get(operation);
    if (!entry) {
      entry = { buckets: BOUNDS.map(() => 0), sum: 0 };
      this.entries.set(operation, entry);
    }
    entry.sum += seconds;
    let at = 0;
    while (seconds > (BOUNDS[at] as number)) at++;
    (entry.buckets[at] as number)++;
  }

  read(): MetricReading {
    const { name, help } = this;
    const values = [...this.entries].flatMap(([operation, { buckets, sum }]) => {
      let count = 0;
      const cumulative = BOUNDS.map((bound, at) => {
        count += buckets[at] as number;
        const le = bound === Infinity ? "+Inf" : bound;
        return { labels: { operation, le }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...cumulative,
        { labels: { operation }, value: sum, metricName: `${name}_sum` },
        { labels: { operation }, value: count, metricName: `${name}_count` },
      ];
    });
    return { name, help, type: "histogram", aggregator: "sum", values };
  }
}
