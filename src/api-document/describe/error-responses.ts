import { ERROR_CODES, type WireErrorCode } from "../../adapters/http/answer/error-codes.js";
import { type JsonObject, ref } from "../json.js";
import { headerRefs } from "./header-refs.js";
import type { HeaderComponent } from "./headers.js";

/** The codes of the API's answers. Only the admin port says that an instance is shutting down. */
export type ApiErrorCode = Exclude<WireErrorCode, "shutting_down">;

/** A message as the service words it, for the example of each code. */
export const EXAMPLE_MESSAGES: Readonly<Record<ApiErrorCode, string>> = {
  malformed_request: "The Host header is missing; HTTP/1.1 requires exactly one.",
  missing_body: "A body is required: a JSON object with name and categoryId.",
  invalid_json: "The body is not valid JSON (RFC 8259); correct its syntax.",
  duplicate_field: "name is given twice; send it once.",
  unknown_field: "colour is not known here; known are name, categoryId, status.",
  missing_field: "name is required; add it to the body.",
  invalid_field: "name must hold at least one character that is not white space.",
  invalid_parameter: "limit must be an integer from 1 to 100.",
  duplicate_parameter: "status is given twice; send it once.",
  unknown_parameter: "state is not known here; known are limit, status, cursor.",
  invalid_cursor: "cursor was made for another status filter; send the filter it was made for.",
  invalid_idempotency_key:
    "Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.",
  idempotency_key_reused: "This Idempotency-Key was used with another body; use a new key for a new request.",
  missing_credentials: "An API key is required; send it as the header Authorization: Bearer <API_KEY>.",
  invalid_credentials: "The API key is not accepted; ask the operator for a valid one.",
  pet_not_found: "No pet has this petId.",
  route_not_found: "There is nothing at this path; paths end without a slash: leave it out.",
  method_not_allowed: "This method is not allowed here; Allow names those that are.",
  not_acceptable: "Every answer is application/json; allow it in the Accept header.",
  request_timeout: "The request took too long to arrive; send it again.",
  operation_removed: "This operation was removed; use GET /v1/pets with the status filter.",
  body_too_large: "The body must be at most 16384 bytes long.",
  unsupported_media_type: "Send the body as JSON, with Content-Type: application/json.",
  rate_limited: "This key has sent too many requests; wait as long as Retry-After says.",
  headers_too_large: "The head must be at most 16384 bytes long.",
  internal_error: "The service failed; the failure was logged. Try again later.",
  storage_unavailable: "The storage cannot be used now; try again later.",
  overloaded: "The service has too many requests in flight; try again later.",
};

/** The headers that an error of a status always carries. */
const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderComponent[]>> = {
  401: ["WwwAuthenticate"],
  429: ["RetryAfter"],
  503: ["RetryAfter"],
};

/** The `responses` for these codes, by status. Each has the remedies, the codes as an enumeration, and their examples. */
export function errorResponses(
  codes: readonly ApiErrorCode[],
  headers: readonly HeaderComponent[] = [],
): Readonly<Record<number, JsonObject>> {
  const statuses = [...new Set(codes.map((code) => ERROR_CODES[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      errorResponse(
        status,
        codes.filter((code) => ERROR_CODES[code].status === status),
        headers,
      ),
    ]),
  );
}

function errorResponse(
  status: number,
  codes: readonly ApiErrorCode[],
  headers: readonly HeaderComponent[],
): JsonObject {
  const carried = [...(HEADERS_OF_STATUS[status] ?? []), ...headers];
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].remedy}`).join("\n"),
    headers: headerRefs(...carried),
    content: {
      "application/json": {
        schema: {
          allOf: [
            ref("schemas", "Error"),
            { type: "object", properties: { code: { enum: codes }, status: { const: status } } },
          ],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: { code, message: EXAMPLE_MESSAGES[code], status } }]),
        ),
      },
    },
  };
}
