/** What the application reports as it happens, for the log (`request-log.ts`) and the metrics. A listener must be quick. */
export interface AppEvents {
  requestStarted: [];
  requestFinished: [request: FinishedRequest];
  /** Bytes never became a request, since they were no HTTP, too large or too late. */
  requestRefused: [request: RefusedRequest];
  /** The service has closed a connection, and given no answer. There may be many such connections a second. */
  connectionCut: [reason: CutReason];
  /** An answer could not be written, or a middleware in front of `answer-errors.ts` has failed. */
  error: [error: unknown];
}

/**
 * `stalled`: a client did not read an answer for half a minute or more. `excess`: there were too many connections. `body`:
 * the body of a request that has its answer does not end, or comes in too many pieces.
 */
export type CutReason = "stalled" | "excess" | "body";

interface RefusedRequest {
  readonly requestId: string;
  readonly status: number;
  /** The code of the error that the answer reports; undefined if it reports none. */
  readonly code: string | undefined;
  /** The address of the client, or of the proxy in front. */
  readonly client: string | undefined;
}

export interface FinishedRequest extends RefusedRequest {
  /** The `operationId`, or `none` if the request reached no operation. */
  readonly operation: string;
  /** Whether it reached an operation that is deprecated. */
  readonly isDeprecated: boolean;
  /** A method that some path allows, or `other`. */
  readonly method: string;
  /** The name of the accepted key; undefined if there is none. */
  readonly key: string | undefined;
  /** From the call of the application to the answer, which Node then writes. */
  readonly seconds: number;
  /** The Content-Length of the answer; 0 if it has none. */
  readonly bytes: number;
  /** Whether the client had ended its side of the connection, or broken it, before the answer was made. */
  readonly aborted: boolean;
}
