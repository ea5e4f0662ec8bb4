import { type JsonObject, ref } from "../json.js";
import type { ApiErrorCode } from "./error-responses.js";
import { headerRefs } from "./header-refs.js";

/** The errors that any operation can answer. */
export const ANY_OPERATION: readonly ApiErrorCode[] = [
  "malformed_request",
  "missing_credentials",
  "invalid_credentials",
  "not_acceptable",
  "request_timeout",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "overloaded",
];

export const REX = { id: 42, name: "Rex", categoryId: 7, status: "available" };
/** Its categoryId is too large for a double: a client that reads numbers as doubles sees …992. */
export const ZOE = { id: 43, name: "Zoë", categoryId: 9007199254740993n, status: "sold" };

export function success(
  description: string,
  schema: string,
  examples: JsonObject,
  headers = headerRefs(),
): JsonObject {
  return {
    description,
    headers,
    content: { "application/json": { schema: ref("schemas", schema), examples } },
  };
}
