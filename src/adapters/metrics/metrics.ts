import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { StorageReading } from "../../application/storage-adapter.js";

/** Upper bounds of durations, in seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const HELP = {
  petstore_http_requests_total: "Requests, by operation, method and status.",
  petstore_http_request_duration_seconds: "Time from the arrival of a request to its response.",
  petstore_http_requests_in_flight: "Requests in flight.",
  petstore_http_errors_total: "Error responses, by code.",
  petstore_deprecated_requests_total: "Requests to deprecated operations, by the name of the API key.",
  petstore_key_last_used_timestamp_seconds: "When this process last accepted each API key.",
  petstore_storage_operation_duration_seconds: "Time that storage operations took, failed ones included.",
  petstore_storage_failures_total: "Storage operations that failed.",
  petstore_build_info: "The versions that this process runs; always 1.",
};

/** `operation` is `none` if the request reached none; `key` is the name of its API key. */
interface FinishedRequest {
  readonly operation: string;
  readonly isDeprecated: boolean;
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly key: string | undefined;
  readonly seconds: number;
}

/** The metrics of the service, of Node and of the process, for Prometheus. */
export class Metrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private readonly requests = this.counter("petstore_http_requests_total", "operation", "method", "status");
  private readonly errors = this.counter("petstore_http_errors_total", "code");
  private readonly deprecated = this.counter("petstore_deprecated_requests_total", "operation", "key");
  private readonly storageFailures = this.counter("petstore_storage_failures_total", "operation");
  private readonly seconds = this.histogram("petstore_http_request_duration_seconds");
  private readonly storageSeconds = this.histogram("petstore_storage_operation_duration_seconds");
  private readonly inFlight = this.gauge("petstore_http_requests_in_flight");
  private readonly lastUsed = this.gauge("petstore_key_last_used_timestamp_seconds", "key");

  constructor(version: string) {
    this.gauge("petstore_build_info", "version", "node").set({ version, node: process.version }, 1);
    collectDefaultMetrics({ register: this.registry });
  }

  expectRequests(): void {}

  requestStarted(): void {
    this.inFlight.inc();
  }

  requestFinished({ operation, isDeprecated, method, status, code, key, seconds }: FinishedRequest): void {
    this.inFlight.dec();
    this.requests.inc({ operation, method, status });
    this.seconds.observe({ operation }, seconds);
    if (code) this.errors.inc({ code });
    // With a 401 the key has expired.
    if (key && status !== 401) this.lastUsed.set({ key }, Math.floor(Date.now() / 1000));
    if (key && isDeprecated) this.deprecated.inc({ operation, key });
  }

  /** Counts what Node's parser rejected. */
  requestRejected({ status, code }: Pick<FinishedRequest, "status" | "code">): void {
    this.requests.inc({ operation: "none", method: "other", status });
    if (code) this.errors.inc({ code });
  }

  storageOperation(operation: string, seconds: number, failed: boolean): void {
    this.storageSeconds.observe({ operation }, seconds);
    if (failed) this.storageFailures.inc({ operation });
  }

  /** Adds a metric that is read at each scrape. A gauge that is not finite is left out. */
  add({ name, help, type, read }: StorageReading): void {
    const { registers } = this;
    if (type === "counter") {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
      return;
    }
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (Number.isFinite(value)) this.set(value);
        else this.remove();
      },
    });
  }

  /** Every metric in the Prometheus text format, with its media type. */
  async read(): Promise<{ type: string; text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  private counter(name: keyof typeof HELP, ...labelNames: string[]): Counter {
    return new Counter({ name, help: HELP[name], labelNames, registers: this.registers });
  }

  private gauge(name: keyof typeof HELP, ...labelNames: string[]): Gauge {
    return new Gauge({ name, help: HELP[name], labelNames, registers: this.registers });
  }

  private histogram(name: keyof typeof HELP): Histogram {
    const labelNames = ["operation"];
    return new Histogram({ name, help: HELP[name], labelNames, buckets, registers: this.registers });
  }
}
