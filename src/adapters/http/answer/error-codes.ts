import type { ErrorCode } from "../../../domain/errors.js";

/**
 * The one list of every `code` that an error answer can carry, with its HTTP status and the client's remedy.
 * The compiler refuses the list while a code of the core has no row.
 */
export const ERROR_CODES = {
  malformed_request: { status: 400, remedy: "Send well-formed HTTP/1.1, with exactly one Host header." },
  missing_body: {
    status: 400,
    remedy: "Send a JSON object as the body, with the members that the message names.",
  },
  invalid_json: { status: 400, remedy: "Correct the body's syntax: one JSON object, in UTF-8." },
  duplicate_field: { status: 400, remedy: "Send each member of the body once." },
  unknown_field: {
    status: 400,
    remedy:
      "Leave out the unknown member; or leave out Prefer: handling=strict, so that the service ignores the member.",
  },
  missing_field: { status: 400, remedy: "Add the member that the message names." },
  invalid_field: { status: 400, remedy: "Correct the member that the message names, by the rule it states." },
  invalid_parameter: {
    status: 400,
    remedy: "Correct the parameter that the message names, by the rule it states.",
  },
  duplicate_parameter: { status: 400, remedy: "Send each query parameter once." },
  unknown_parameter: { status: 400, remedy: "Use only the query parameters that the message lists." },
  invalid_cursor: {
    status: 400,
    remedy:
      "Take the cursor unchanged from the Link header, with the filter it was made for; or start from the first page.",
  },
  invalid_idempotency_key: {
    status: 400,
    remedy: "Send 1 to 255 visible ASCII characters as Idempotency-Key, for example a UUID.",
  },
  idempotency_key_reused: {
    status: 400,
    remedy: "Use a new Idempotency-Key for a new request; keep the old one only to repeat the same body.",
  },
  missing_credentials: { status: 401, remedy: "Send the API key: Authorization: Bearer <API_KEY>." },
  invalid_credentials: { status: 401, remedy: "Check the key; ask the operator for a valid one." },
  pet_not_found: { status: 404, remedy: "Check the identifier; list the pets to find those that exist." },
  route_not_found: { status: 404, remedy: "Check the path; the message tells where the operations are." },
  method_not_allowed: { status: 405, remedy: "Use one of the methods that the Allow header names." },
  not_acceptable: { status: 406, remedy: "Allow application/json in the Accept header, or leave it out." },
  request_timeout: { status: 408, remedy: "Send the request again, faster." },
  operation_removed: { status: 410, remedy: "Use the operation that the message names." },
  body_too_large: { status: 413, remedy: "Send a body of at most 16 KiB." },
  unsupported_media_type: {
    status: 415,
    remedy: "Send Content-Type: application/json, without a Content-Encoding.",
  },
  rate_limited: { status: 429, remedy: "Wait as many seconds as Retry-After says, then send it again." },
  headers_too_large: { status: 431, remedy: "Send fewer or shorter headers, or a shorter URL." },
  internal_error: { status: 500, remedy: "Try again later; tell the operator if it lasts. It was logged." },
  storage_unavailable: {
    status: 503,
    remedy:
      "Wait as many seconds as Retry-After says, then send it again, a create with its Idempotency-Key.",
  },
  overloaded: { status: 503, remedy: "Wait as many seconds as Retry-After says, then send it again." },
  shutting_down: {
    status: 503,
    remedy: "Only /readyz of the admin port says so. Send requests to another instance.",
  },
} as const satisfies Record<ErrorCode, ErrorRow> & Record<string, ErrorRow>;

interface ErrorRow {
  readonly status: number;
  readonly remedy: string;
}

export type WireErrorCode = keyof typeof ERROR_CODES;

export const STATUS_OF_CODE = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
) as { readonly [Code in WireErrorCode]: (typeof ERROR_CODES)[Code]["status"] };

/**
 * An error answer, to be thrown or given to `answerError`. It is no Error, because it goes to a client and never to a
 * log, and because an Error records the stack, which takes longer than the rest of the answer.
 */
export class HttpError {
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
