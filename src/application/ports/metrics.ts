/** Driven port: what the adapters measure. */
export interface Metrics {
  /** Starts at 0 every series of requests that is known before the first one; alerts miss a series' first event. */
  expectRequests(expected: ExpectedRequests): void;
  requestStarted(): void;
  requestFinished(request: FinishedRequest): void;
  /** The HTTP parser rejected bytes that never became a request. */
  requestRejected(request: Pick<FinishedRequest, "status" | "code">): void;
  /** Starts the series of a storage operation at 0. One that is rejected during an outage has failed and not finished. */
  storageOperation(operation: string): { finished(seconds: number): void; failed(): void };
  /** @throws Error if the name is invalid or taken */
  addReading(reading: Reading): void;
  /** Every metric in the Prometheus text format, with its media type. */
  read(): Promise<{ readonly type: string; readonly text: string }>;
}

export interface ExpectedRequests {
  readonly operations: readonly { operation: string; methods: readonly string[]; isDeprecated: boolean }[];
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  /** The names of the API keys, asked at each scrape. */
  keys(): readonly string[];
}

export interface FinishedRequest {
  /** The `operationId`, or `none`. */
  readonly operation: string;
  /** A method of the API, or `other`. */
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly key: string | undefined;
  readonly isDeprecated: boolean;
  readonly seconds: number;
}

/** A gauge or counter that is read at each scrape. */
export interface Reading {
  /** A Prometheus name, e.g. `petstore_acme_connections`. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** Called at each scrape, even while a storage is down. Must not throw. */
  read(): number;
}
