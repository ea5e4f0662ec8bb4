/** A metric, as a scrape finds it, in the form of prom-client's `getMetricsAsJSON`. */
export interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** How prom-client puts several values with the same labels together; here there is one. */
  readonly aggregator: "first";
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
    /** If undefined, the metric's own name. */
    readonly metricName?: string;
  }[];
}

/** One metric: a single number, or the numbers of several labels. */
export function reading(
  name: string,
  help: string,
  type: MetricReading["type"],
  value: number | MetricReading["values"],
): MetricReading {
  const values = typeof value === "number" ? [{ labels: {}, value }] : value;
  return { name, help, type, aggregator: "first", values };
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
    (entry.buckets[BOUNDS.findIndex((bound) => seconds <= bound)] as number)++;
  }

  read(): MetricReading {
    const { name } = this;
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
    return reading(name, this.help, "histogram", values);
  }
}
