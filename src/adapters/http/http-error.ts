import type { ErrorCode } from "../../domain/errors.js";

/**
 * The HTTP status of every `code`, including the core's; `openapi.yaml` lists the remedies. The first code of
 * each status is the general one, for errors without a code of their own.
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
  shutting_down: 503,
} as const satisfies Record<ErrorCode, number> & Record<string, number>;

export type WireErrorCode = keyof typeof STATUS_OF_CODE;

export function codeOfStatus(status: number): WireErrorCode {
  const codes = Object.keys(STATUS_OF_CODE) as WireErrorCode[];
  const general = codes.find((code) => STATUS_OF_CODE[code] === status);
  return general ?? (status < 500 ? "malformed_request" : "internal_error");
}

/** An error response, which any middleware may throw; `middleware/answer-errors.ts` sends it. */
export class HttpError extends Error {
  readonly headers: Readonly<Record<string, string>>;
  /** As JSON. */
  readonly body: string;

  constructor(
    readonly code: WireErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    readonly status: number = STATUS_OF_CODE[code],
  ) {
    super(message);
    this.headers = status === 503 ? { "Retry-After": "1", ...headers } : headers;
    this.body = JSON.stringify({ code, message: this.message, status });
  }
}

/** Returns a name that a client sent if it is safe to show in a message; otherwise a description. */
export function showName(name: string, description: string): string {
  return /^[A-Za-z][\w-]{0,31}$/.test(name) ? name : description;
}
