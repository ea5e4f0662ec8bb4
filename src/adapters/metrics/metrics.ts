import type { Registry } from "prom-client";
import type { StorageReading } from "../../application/ports/storage-adapter.js";
import { loadPromClient } from "./load-prom-client.js";
import { Counter, DurationHistogram, type Metric, type MetricReading, Reading } from "./metric-types.js";

/** A finished request, as the metrics count it; `observe-requests.ts` of HTTP describes it. */
interface MeasuredRequest {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  /** The code of the error that the answer reports; undefined if it reports none. */
  readonly code: string | undefined;
  /** The name of the accepted key; undefined if there is none. */
  readonly key: string | undefined;
  readonly seconds: number;
  /** Whether the client had gone before the answer was made. */
  readonly aborted?: boolean;
}

/** A name that Prometheus allows, without the prefixes of Node's and the process's own metrics. */
const NAME = /^(?!nodejs_|process_)[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Collects the metrics that Prometheus reads from the service. */
export class Metrics {
  private inFlight = 0;
  private readonly requests = new Counter("petstore_http_requests_total", "Requests answered.", [
    "operation",
    "method",
    "status",
  ]);
  private readonly durations = new DurationHistogram(
    "petstore_http_request_duration_seconds",
    "Time from the head of a request to its answer.",
    "operation",
  );
  private readonly errors = new Counter("petstore_http_errors_total", "Errors answered, by their code.", [
    "code",
  ]);
  private readonly aborts = new Counter(
    "petstore_http_requests_aborted_total",
    "Requests whose client had gone before the answer was made.",
    ["operation"],
  );
  private readonly cuts = new Counter(
    "petstore_http_connections_cut_total",
    "Connections closed without an answer, by the reason.",
    ["reason"],
  );
  private readonly deprecated = new Counter(
    "petstore_deprecated_requests_total",
    "Requests to deprecated operations, by the name of the key that sent them.",
    ["operation", "key"],
  );
  private readonly storageDurations = new DurationHistogram(
    "petstore_storage_operation_duration_seconds",
    "Time that operations of the storage took, failed ones included.",
    "operation",
  );
  private readonly storageFailures = new Counter(
    "petstore_storage_failures_total",
    "Operations of the storage that failed.",
    ["operation"],
  );
  private readonly metrics: Metric[] = [
    this.requests,
    this.durations,
    this.errors,
    this.aborts,
    this.cuts,
    this.deprecated,
    this.storageDurations,
    this.storageFailures,
    new Reading(
      "petstore_http_requests_in_flight",
      "Requests that are being served.",
      "gauge",
      () => this.inFlight,
    ),
  ];
  private registry: Promise<Registry> | undefined;

  constructor(
    /** The operations whose requests are counted for each key; `container.ts` names them. */
    private readonly deprecatedOperations: readonly string[],
    lostLines = () => 0,
  ) {
    const help = "Lines of the log that could not be written.";
    this.add({ name: "petstore_log_lines_lost_total", help, type: "counter", read: lostLines });
  }

  requestStarted(): void {
    this.inFlight++;
  }

  requestFinished({ operation, method, status, code, key, seconds, aborted }: MeasuredRequest): void {
    this.inFlight--;
    this.requests.increment(operation, method, String(status));
    this.durations.observe(operation, seconds);
    if (code) this.errors.increment(code);
    if (aborted) this.aborts.increment(operation);
    if (key && this.deprecatedOperations.includes(operation)) this.deprecated.increment(operation, key);
  }

  requestRefused({ status, code }: Pick<MeasuredRequest, "status" | "code">): void {
    this.requests.increment("none", "other", String(status));
    if (code) this.errors.increment(code);
  }

  connectionCut(reason: string): void {
    this.cuts.increment(reason);
  }

  requestShed(): void {
    this.requestRefused({ status: 503, code: "overloaded" });
  }

  storageOperation(operation: string, seconds: number, failed: boolean): void {
    this.storageDurations.observe(operation, seconds);
    if (failed) this.storageFailures.increment(operation);
  }

  /**
   * Adds a number that another part of the program knows. If `read` fails, the number is NaN.
   *
   * @throws Error if Prometheus does not take the name, or another metric has it
   */
  add({ name, help, type, together, read }: StorageReading): void {
    if (!NAME.test(name) || this.metrics.some((metric) => metric.name === name)) {
      throw new Error(`A metric cannot be named ${name}: the name is malformed, reserved, or taken already.`);
    }
    const metric = new Reading(name, help, type, () => orNaN(read), together);
    this.metrics.push(metric);
    this.registry?.then((registry) => registry.registerMetric(metric as never));
  }

  /** Every metric in Prometheus's text format, with its media type. */
  async read(): Promise<{ type: string; text: string }> {
    const registry = await this.openRegistry();
    return { type: registry.contentType, text: await registry.metrics() };
  }

  /** Every metric as an object, for the primary process, which adds up those of its workers. */
  async readAll(): Promise<readonly MetricReading[]> {
    const registry = await this.openRegistry();
    return (await registry.getMetricsAsJSON()) as unknown as MetricReading[];
  }

  /** The registry with every metric of the service. The first call adds Node's own metrics. */
  openRegistry(): Promise<Registry> {
    this.registry ??= loadPromClient().then(
      ({ Registry, collectDefaultMetrics }) => {
        const registry = new Registry();
        // prom-client's types allow only its own classes, though it uses only `name` and `get` of a metric.
        for (const metric of this.metrics) registry.registerMetric(metric as never);
        collectDefaultMetrics({ register: registry });
        return registry;
      },
      (error) => {
        // The next scrape tries again: the failure, e.g. a lack of descriptors, may pass.
        this.registry = undefined;
        throw error;
      },
    );
    return this.registry;
  }
}

function orNaN(read: () => number): number {
  try {
    return Number(read());
  } catch {
    return Number.NaN;
  }
}
