/** What the HTTP adapter reports to the metrics. */
export interface RequestMetrics {
  requestStarted(): void;
  requestFinished(request: FinishedRequest): void;
  /** Node's parser rejected bytes that never became a request. */
  requestRejected(request: { readonly status: number; readonly code: string }): void;
}

export interface FinishedRequest {
  /** The `operationId`, or `none`. */
  readonly operation: string;
  /** A method of the API, or `other`. */
  readonly method: string;
  readonly status: number;
  readonly code: string | undefined;
  /** The name of the key. */
  readonly key: string | undefined;
  readonly isDeprecated: boolean;
  readonly seconds: number;
}
