import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ExpectedRequests, FinishedRequest, Metrics, Reading } from "../../application/ports/metrics.js";

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

export class PrometheusMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Counter(
    this.options("petstore_http_requests_total", "operation", "method", "status"),
  );
  private readonly seconds = this.histogram("petstore_http_request_duration_seconds");
  private readonly inFlight = new Gauge(this.options("petstore_http_requests_in_flight"));
  private readonly errors = new Counter(this.options("petstore_http_errors_total", "code"));
  private readonly deprecated = new Counter(
    this.options("petstore_deprecated_requests_total", "operation", "key"),
  );
  private readonly lastUsed = new Gauge(this.options("petstore_key_last_used_timestamp_seconds", "key"));
  private readonly storageSeconds = this.histogram("petstore_storage_operation_duration_seconds");
  private readonly failures = new Counter(this.options("petstore_storage_failures_total", "operation"));
  /** Starts the series of keys that were created since the last scrape. */
  private expectKeys = () => {};

  constructor(version: string, isReadOnly: boolean) {
    new Gauge(this.options("petstore_read_only")).set(Number(isReadOnly));
    new Gauge(this.options("petstore_build_info", "version", "node")).labels(version, process.version).set(1);
  }

  addProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  expectRequests({ operations, statuses, codes, keys }: ExpectedRequests): void {
    for (const code of codes) this.errors.inc({ code }, 0);
    for (const { operation, methods } of operations) {
      this.seconds.zero({ operation });
      for (const method of methods) {
        for (const status of statuses) this.requests.inc({ operation, method, status }, 0);
      }
    }
    const deprecated = operations.filter(({ isDeprecated }) => isDeprecated);
    this.expectKeys = () => {
      for (const key of keys())
        for (const { operation } of deprecated) this.deprecated.inc({ operation, key }, 0);
    };
  }

  requestStarted(): void {
    this.inFlight.inc();
  }

  requestFinished({ operation, isDeprecated, method, status, code, key, seconds }: FinishedRequest): void {
    this.inFlight.dec();
    this.requests.inc({ operation, method, status });
    this.seconds.observe({ operation }, seconds);
    if (code) this.errors.inc({ code });
    // A 401 means that the key has expired.
    if (key && status !== 401) this.lastUsed.set({ key }, Math.floor(Date.now() / 1000));
    if (key && isDeprecated) this.deprecated.inc({ operation, key });
  }

  requestRejected({ status, code }: Pick<FinishedRequest, "status" | "code">): void {
    this.requests.inc({ operation: "none", method: "other", status });
    if (code) this.errors.inc({ code });
  }

  storageOperation(operation: string) {
    this.storageSeconds.zero({ operation });
    this.failures.inc({ operation }, 0);
    return {
      finished: (seconds: number) => this.storageSeconds.observe({ operation }, seconds),
      failed: () => this.failures.inc({ operation }),
    };
  }

  /** Leaves a reading out of a scrape if it throws or returns an impossible value. */
  addReading({ name, help, type, read }: Reading): void {
    const collect = () => {
      metric.remove();
      try {
        const value = read();
        if (Number.isFinite(value)) metric.inc(value);
      } catch {}
    };
    const Metric = type === "gauge" ? Gauge : Counter;
    const metric = new Metric({ name, help, registers: [this.registry], collect });
  }

  async read(): Promise<{ type: string; text: string }> {
    this.expectKeys();
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  private histogram(name: Name) {
    const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
    return new Histogram({ ...this.options(name, "operation"), buckets: seconds });
  }

  private options<Label extends string>(name: Name, ...labelNames: Label[]) {
    return { name, help: HELP[name], labelNames, registers: [this.registry] };
  }
}
