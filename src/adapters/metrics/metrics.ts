import type { Registry } from "prom-client";
import type { StorageReading } from "../../application/ports/storage-adapter.js";
import { Counter, combine, DurationHistogram, type MetricReading, reading } from "./readings.js";

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
  private readonly requests = counter("http_requests_total", "Requests answered.", [
    "operation",
    "method",
    "status",
  ]);
  private readonly durations = new DurationHistogram(
    "petstore_http_request_duration_seconds",
    "Time from the head of a request to its answer.",
  );
  private readonly errors = counter("http_errors_total", "Errors answered, by their code.", ["code"]);
  private readonly aborts = counter(
    "http_requests_aborted_total",
    "Requests whose client had gone before the answer was made.",
    ["operation"],
  );
  private readonly cuts = counter(
    "http_connections_cut_total",
    "Connections closed without an answer, by the reason.",
    ["reason"],
  );
  private readonly deprecated = counter(
    "deprecated_requests_total",
    "Requests to deprecated operations, by the name of the key that sent them.",
    ["operation", "key"],
  );
  private readonly storageDurations = new DurationHistogram(
    "petstore_storage_operation_duration_seconds",
    "Time that operations of the storage took, failed ones included.",
  );
  private readonly storageFailures = counter(
    "storage_failures_total",
    "Operations of the storage that failed.",
    ["operation"],
  );
  private readonly added: StorageReading[] = [];
  private ofNode: Promise<Registry> | undefined;

  constructor(
    /** The operations whose requests are counted for each key; `container.ts` names them. */
    private readonly deprecatedOperations: readonly string[],
  ) {}

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
  add(added: StorageReading): void {
    const { name } = added;
    if (!NAME.test(name) || this.readOwn().some((metric) => metric.name === name)) {
      throw new Error(`A metric cannot be named ${name}: the name is malformed, reserved, or taken already.`);
    }
    this.added.push(added);
  }

  /** Every metric in Prometheus's text format, with its media type. */
  async read(): Promise<{ type: string; text: string }> {
    const own = await combine([this.readOwn()]);
    const ofNode = await this.measureNode();
    return { type: own.contentType, text: `${await own.metrics()}\n${await ofNode.metrics()}` };
  }

  /** Every metric as an object, for the primary process, which adds up those of its workers. */
  async readAll(): Promise<readonly MetricReading[]> {
    const ofNode = await (await this.measureNode()).getMetricsAsJSON();
    return [...this.readOwn(), ...(ofNode as unknown as MetricReading[])];
  }

  private readOwn(): MetricReading[] {
    const { requests, durations, errors, aborts, cuts, deprecated, storageDurations, storageFailures } = this;
    const counted = [
      requests,
      durations,
      errors,
      aborts,
      cuts,
      deprecated,
      storageDurations,
      storageFailures,
    ];
    const inFlight = "petstore_http_requests_in_flight";
    return [
      ...counted.map((metric) => metric.read()),
      reading(inFlight, "Requests that are being served.", "gauge", this.inFlight),
      ...this.added.map(({ name, help, type, together, read }) =>
        reading(name, help, type, orNaN(read), together),
      ),
    ];
  }

  /** The metrics of Node and the process, measured from the first call on. */
  private measureNode(): Promise<Registry> {
    this.ofNode ??= import("prom-client").then(({ default: { Registry, collectDefaultMetrics } }) => {
      const register = new Registry();
      collectDefaultMetrics({ register });
      return register;
    });
    return this.ofNode;
  }
}

function counter(name: string, help: string, labels: readonly string[]): Counter {
  return new Counter(`petstore_${name}`, help, labels);
}

function orNaN(read: () => number): number {
  try {
    return Number(read());
  } catch {
    return Number.NaN;
  }
}
