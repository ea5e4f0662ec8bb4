import { createRequire } from "node:module";
import type { Registry } from "prom-client";
import type { StorageReading } from "../../application/ports/storage.js";
import { DurationHistogram, type MetricReading, reading } from "./readings.js";

// As in `container.ts`: Node's `import` would read the files twice. They are read at the start, and not at a scrape.
const prometheus: typeof import("prom-client") = createRequire(import.meta.url)("prom-client");

/** A finished request, as the metrics count it; `events.ts` of HTTP describes it. */
interface MeasuredRequest {
  readonly operation: string;
  readonly isDeprecated?: boolean;
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly key: string | undefined;
  readonly seconds: number;
  readonly aborted?: boolean;
}

/** A name that Prometheus allows, without the prefixes of Node's and the process's own metrics. */
const NAME = /^(?!nodejs_|process_)[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** The counters: the help text of each, and the names of its labels. */
const COUNTERS = {
  petstore_http_requests_total: ["Requests answered.", "operation", "method", "status"],
  petstore_http_errors_total: ["Errors answered, by their code.", "code"],
  petstore_http_requests_aborted_total: [
    "Requests whose client had gone before the answer was made.",
    "operation",
  ],
  petstore_http_connections_cut_total: ["Connections closed without an answer, by the reason.", "reason"],
  petstore_deprecated_requests_total: [
    "Requests to deprecated operations, by the name of the key that sent them.",
    "operation",
    "key",
  ],
  petstore_storage_failures_total: ["Operations of the storage that failed.", "operation"],
} as const;

/** Collects the metrics that Prometheus reads from the service. */
export class Metrics {
  private inFlight = 0;
  /** The counts by the name of the counter and the values of its labels. */
  private readonly counts = new Map<string, number>();
  /** By the name of the key, in milliseconds since the epoch. */
  private readonly lastUsed = new Map<string, number>();
  private readonly durations = new DurationHistogram(
    "petstore_http_request_duration_seconds",
    "Time from the start of the work on a request to its answer.",
  );
  private readonly storageDurations = new DurationHistogram(
    "petstore_storage_operation_duration_seconds",
    "Time that operations of the storage took, failed ones included.",
  );
  private readonly added: StorageReading[] = [];
  private ofNode: Registry | undefined;

  constructor(private readonly version: string) {}

  /**
   * Counts an event. The number of different labels must be bounded. prom-client's own counters and histograms check and
   * hash the labels of each observation, which takes a tenth of a request.
   */
  private count(name: keyof typeof COUNTERS, ...labels: string[]): void {
    const key = [name, ...labels].join("\0");
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  requestStarted(): void {
    this.inFlight++;
  }

  requestFinished({
    operation,
    method,
    isDeprecated,
    status,
    code,
    key,
    seconds,
    aborted,
  }: MeasuredRequest): void {
    this.inFlight--;
    this.count("petstore_http_requests_total", operation, method, String(status));
    this.durations.observe(operation, seconds);
    if (code) this.count("petstore_http_errors_total", code);
    if (aborted) this.count("petstore_http_requests_aborted_total", operation);
    // A 401 names a key that has expired.
    if (key && status !== 401) this.lastUsed.set(key, Date.now());
    if (key && isDeprecated) this.count("petstore_deprecated_requests_total", operation, key);
  }

  requestRefused({ status, code }: Pick<MeasuredRequest, "status" | "code">): void {
    this.count("petstore_http_requests_total", "none", "other", String(status));
    if (code) this.count("petstore_http_errors_total", code);
  }

  connectionCut(reason: string): void {
    this.count("petstore_http_connections_cut_total", reason);
  }

  storageOperation(operation: string, seconds: number, failed: boolean): void {
    this.storageDurations.observe(operation, seconds);
    if (failed) this.count("petstore_storage_failures_total", operation);
  }

  /**
   * Adds a number that another part of the program knows. A scrape leaves it out if `read` fails or gives none that is
   * finite.
   *
   * @throws Error if Prometheus does not take the name, or another metric has it
   */
  add(added: StorageReading): void {
    const { name } = added;
    if (!NAME.test(name) || [...this.readOwn(), ...this.added].some((metric) => metric.name === name)) {
      throw new Error(`A metric cannot be named ${name}: the name is malformed, reserved, or taken already.`);
    }
    this.added.push(added);
  }

  /**
   * Every metric in Prometheus's text format, with its media type. Node and the process are measured from the first call
   * on; for that, prom-client reads a few files of /proc at each call, which no disk holds.
   */
  async read(): Promise<{ type: string; text: string }> {
    if (!this.ofNode) {
      this.ofNode = new prometheus.Registry();
      prometheus.collectDefaultMetrics({ register: this.ofNode });
    }
    const own = await prometheus.AggregatorRegistry.aggregate([this.readOwn()]).metrics();
    return { type: this.ofNode.contentType, text: `${own}\n${await this.ofNode.metrics()}` };
  }

  private readOwn(): MetricReading[] {
    const counted = [...this.counts].map(([key, value]) => ({ names: key.split("\0"), value }));
    const counters = Object.entries(COUNTERS).map(([name, [help, ...labelNames]]) => {
      const values = counted
        .filter(({ names }) => names[0] === name)
        .map(({ names, value }) => ({
          labels: Object.fromEntries(labelNames.map((label, index) => [label, names[index + 1] as string])),
          value,
        }));
      return reading(name, help, "counter", values);
    });
    return [
      ...counters,
      this.durations.read(),
      this.storageDurations.read(),
      reading("petstore_build_info", "The versions that this process runs; always 1.", "gauge", [
        { labels: { version: this.version, node: process.version }, value: 1 },
      ]),
      reading(
        "petstore_key_last_used_timestamp_seconds",
        "When this process last accepted each key, to the minute.",
        "gauge",
        [...this.lastUsed].map(([key, at]) => ({ labels: { key }, value: Math.floor(at / 60_000) * 60 })),
      ),
      reading("petstore_http_requests_in_flight", "Requests that are being served.", "gauge", this.inFlight),
      ...this.added.flatMap(({ name, help, type, read }) => {
        const value = orNaN(read);
        return Number.isFinite(value) ? [reading(name, help, type, value)] : [];
      }),
    ];
  }
}

function orNaN(read: () => number): number {
  try {
    return Number(read());
  } catch {
    return Number.NaN;
  }
}
