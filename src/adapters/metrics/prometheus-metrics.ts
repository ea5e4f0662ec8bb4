import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type {
  ExpectedRequests,
  FinishedRequest,
  Metrics,
  Reading,
  StorageOperationMetrics,
} from "../../application/ports/metrics.js";

/** Upper bounds of durations, in seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const HELP = {
  petstore_http_requests_total: "Requests, by operation, method and status.",
  petstore_http_request_duration_seconds: "Time from the arrival of a request to its response.",
  petstore_http_requests_in_flight: "Requests in flight.",
  petstore_http_errors_total: "Error responses, by code.",
  petstore_deprecated_requests_total: "Requests to deprecated operations, by the name of the API key.",
  petstore_key_last_used_timestamp_seconds: "When this process last accepted each API key.",
  petstore_storage_operation_duration_seconds: "Duration of the operations that reached the storage.",
  petstore_storage_failures_total: "Storage operations that failed, or were rejected during an outage.",
  petstore_read_only: "Whether PETSTORE_READ_ONLY is true: 0 or 1.",
  petstore_build_info: "The versions that this process runs; always 1.",
};
type Name = keyof typeof HELP;

/** Separates the labels of a series; no label contains it. */
const SEPARATOR = "\n";

/** The metrics of the service, of Node and of the process, for Prometheus. */
export class PrometheusMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private inFlight = 0;
  /** Starts the series of keys that were created since. */
  private expectKeys = () => {};
  private readonly requests = this.series(Counter, "petstore_http_requests_total", "operation method status");
  private readonly errors = this.series(Counter, "petstore_http_errors_total", "code");
  private readonly deprecated = this.series(Counter, "petstore_deprecated_requests_total", "operation key");
  private readonly lastUsed = this.series(Gauge, "petstore_key_last_used_timestamp_seconds", "key");
  private readonly storageFailures = this.series(Counter, "petstore_storage_failures_total", "operation");
  private readonly seconds = this.histogram("petstore_http_request_duration_seconds");
  private readonly storageSeconds = this.histogram("petstore_storage_operation_duration_seconds");

  constructor(version: string, isReadOnly: boolean) {
    const gauge = (name: Name, read: () => number) =>
      this.addReading({ name, help: HELP[name], type: "gauge", read });
    gauge("petstore_http_requests_in_flight", () => this.inFlight);
    gauge("petstore_read_only", () => Number(isReadOnly));
    this.series(Gauge, "petstore_build_info", "version node").set(1, version, process.version);
  }

  /** Adds the metrics of Node and of the process. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  expectRequests({ operations, statuses, codes, keys }: ExpectedRequests): void {
    for (const code of codes) this.errors.add(0, code);
    for (const { operation, methods } of operations) {
      this.seconds(operation);
      for (const method of methods) {
        for (const status of statuses) this.requests.add(0, operation, method, String(status));
      }
    }
    const deprecated = operations.filter(({ isDeprecated }) => isDeprecated);
    this.expectKeys = () => {
      for (const key of keys())
        for (const { operation } of deprecated) this.deprecated.add(0, operation, key);
    };
  }

  requestStarted(): void {
    this.inFlight += 1;
  }

  requestFinished({ operation, isDeprecated, method, status, code, key, seconds }: FinishedRequest): void {
    this.inFlight -= 1;
    this.requests.add(1, operation, method, String(status));
    this.seconds(operation)(seconds);
    if (code) this.errors.add(1, code);
    // With a 401 the key has expired.
    if (key && status !== 401) this.lastUsed.set(Math.floor(Date.now() / 1000), key);
    if (key && isDeprecated) this.deprecated.add(1, operation, key);
  }

  requestRejected({ status, code }: Pick<FinishedRequest, "status" | "code">): void {
    this.requests.add(1, "none", "other", String(status));
    if (code) this.errors.add(1, code);
  }

  storageOperation(operation: string): StorageOperationMetrics {
    this.storageFailures.add(0, operation);
    return {
      finished: this.storageSeconds(operation),
      failed: () => this.storageFailures.add(1, operation),
    };
  }

  /** A reading that throws, or returns what its type cannot hold, is left out of that scrape. */
  addReading({ name, help, type, read }: Reading): void {
    const collect = () => {
      metric.remove();
      try {
        const value = read();
        if (Number.isFinite(value)) metric.inc(value);
      } catch {
        // Must not cost the other metrics.
      }
    };
    const options = { name, help, registers: this.registers, collect };
    const metric: Gauge | Counter = type === "gauge" ? new Gauge(options) : new Counter(options);
  }

  async read(): Promise<{ type: string; text: string }> {
    this.expectKeys();
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** A metric with labels, kept as plain numbers that are read at each scrape. */
  private series(Metric: typeof Counter | typeof Gauge, name: Name, labels: string) {
    const labelNames = labels.split(" ");
    const values = new Map<string, number>();
    const collect = () => {
      metric.reset();
      for (const [labels, value] of values) metric.labels(...labels.split(SEPARATOR)).inc(value);
    };
    const options = { name, help: HELP[name], labelNames, registers: this.registers, collect };
    const metric: Gauge | Counter = new Metric(options);
    return {
      set: (value: number, ...labels: string[]) => void values.set(labels.join(SEPARATOR), value),
      add(value: number, ...labels: string[]) {
        const series = labels.join(SEPARATOR);
        values.set(series, (values.get(series) ?? 0) + value);
      },
    };
  }

  /** Returns what observes an operation, whose series then exists. */
  private histogram(name: Name): (operation: string) => (seconds: number) => void {
    const options = { name, help: HELP[name], labelNames: ["operation"], buckets, registers: this.registers };
    const histogram = new Histogram(options);
    const observers = new Map<string, (seconds: number) => void>();
    return (operation) => {
      let observe = observers.get(operation);
      if (!observe) {
        histogram.zero({ operation });
        ({ observe } = histogram.labels(operation));
        observers.set(operation, observe);
      }
      return observe;
    };
  }
}
