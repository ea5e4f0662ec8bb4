import type { ErrorCode } from "../../../domain/errors.js";

/**
 * The one list of every `code` that an error answer can carry, with its HTTP status; of those with one status the general
 * one comes first. `openapi.yaml` has the client's remedy for each. The compiler refuses the list while a code of the core
 * has no row.
 */
export const STATUS_OF_CODE = {
  malformed_request: 400,
  missing_body: 400,
  invalid_json: 400,
  duplicate_field: 400,
  unknown_field: 400,
  missing_field: 400,
  invalid_field: 400,
  invalid_parameter: 400,
  duplicate_parameter: 400,
  unknown_parameter: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  idempotency_key_reused: 400,
  missing_credentials: 401,
  invalid_credentials: 401,
  route_not_found: 404,
  pet_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  operation_removed: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  overloaded: 503,
  storage_unavailable: 503,
  // Only /readyz of the admin port says so.
  shutting_down: 503,
} as const satisfies Record<ErrorCode, number> & Record<string, number>;

export type WireErrorCode = keyof typeof STATUS_OF_CODE;

/** The code of a status that a middleware from npm answers with; of a 4xx without a row it is `malformed_request`. */
export function codeOfStatus(status: number): WireErrorCode {
  const [code] = Object.entries(STATUS_OF_CODE).find(([, known]) => known === status) ?? [];
  return (code as WireErrorCode) ?? (status >= 400 && status < 500 ? "malformed_request" : "internal_error");
}

/**
 * An error answer, to be thrown or given to `answerError`. It is no Error, because it goes to a client and never to a
 * log, and because an Error records the stack, which takes longer than the rest of the answer.
 */
export class ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of its answer, made once: many requests may share one refusal, such as that of a missing key. */
  readonly body: string;

  constructor(
    readonly code: WireErrorCode,
    readonly message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const status = STATUS_OF_CODE[code];
    this.status = status;
    this.headers = status === 503 ? { "Retry-After": RETRY_AFTER, ...headers } : headers;
    this.body = JSON.stringify({ code, message, status });
  }
}

/** After how many seconds a client that got a 503 may try again. */
const RETRY_AFTER = "1";
