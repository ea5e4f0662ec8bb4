import type { ErrorCode } from "../../domain/errors.js";

/**
 * Every `code` an error answer can carry, with its HTTP status: the one list. The compiler refuses it while a
 * code of the core has no row.
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
  pet_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  operation_removed: 410,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  storage_unavailable: 503,
  overloaded: 503,
  shutting_down: 503,
} as const satisfies Record<ErrorCode, number> & Record<string, number>;

export type WireErrorCode = keyof typeof STATUS_OF_CODE;

/** The headers of a response, by name. */
export type Headers = Readonly<Record<string, string | number>>;

/** A request that HTTP itself refuses, before or after the core was asked. */
export class HttpError extends Error {
  constructor(
    readonly code: WireErrorCode,
    message: string,
    readonly headers: Headers = {},
  ) {
    super(message);
  }
}

/** The body of every error answer. */
export function errorBody(code: WireErrorCode, message: string): string {
  return JSON.stringify({ code, message, status: STATUS_OF_CODE[code] });
}

/** Seconds after which a client that was answered 503 may try again. */
export const RETRY_AFTER_SECONDS = 1;
