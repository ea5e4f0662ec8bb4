/** Driven port: takes the measurements of the adapters. */
export interface Metrics {
  /** Starts all expected series at 0, since alerts miss the first event of a new series. */
  expectRequests(expected: ExpectedRequests): void;
  requestStarted(): void;
  requestFinished(request: FinishedRequest): void;
  /** Counts bytes that never became a request because Node's parser rejected them. */
  requestRejected(request: Pick<FinishedRequest, "status" | "code">): void;
  /** Starts an operation's series at 0. Operations rejected during an outage have failed, not finished. */
  storageOperation(operation: string): { finished(seconds: number): void; failed(): void };
  /** @throws Error if the name is invalid or taken */
  addReading(reading: Reading): void;
  /** Renders every metric in the Prometheus text format, with its media type. */
  read(): Promise<{ readonly type: string; readonly text: string }>;
}

export interface ExpectedRequests {
  readonly operations: readonly { operation: string; methods: readonly string[]; isDeprecated: boolean }[];
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  /** Returns the names of the API keys; runs at each scrape. */
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

export interface Reading {
  /** A Prometheus name, e.g. `petstore_acme_connections`. */
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  /** Called at each scrape, even while a storage is down. Must not throw. */
  read(): number;
}
