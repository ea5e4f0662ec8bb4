import prom from "prom-client";
import { original } from "./original.js";

// prom-client's own counter and histogram for those of `adapters/metrics/metric-types.js`.
export const { Reading } = await original("adapters/metrics/metric-types.js");

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Counter extends prom.Counter {
  constructor(
    name: string,
    help: string,
    private readonly names: readonly string[],
  ) {
    super({ name, help, labelNames: names, registers: [] });
  }

  increment(first: string, second?: string, third?: string): void {
    const [one, two, three] = this.names as [string, string, string];
    if (third !== undefined) this.inc({ [one]: first, [two]: second as string, [three]: third });
    else if (second !== undefined) this.inc({ [one]: first, [two]: second });
    else this.inc({ [one]: first });
  }
}

export class DurationHistogram {
  private readonly histogram: prom.Histogram;

  constructor(
    readonly name: string,
    help: string,
    private readonly label: string,
  ) {
    this.histogram = new prom.Histogram({ name, help, labelNames: [label], buckets: BUCKETS, registers: [] });
  }

  get() {
    return this.histogram.get();
  }

  observe(value: string, seconds: number): void {
    this.histogram.observe({ [this.label]: value }, seconds);
  }
}
