import { ErrorAnswer } from "../../answer/error-codes.js";
import type { Handler } from "../../context.js";

/**
 * The headers of every answer of getPet, from the first release on; the contract says when it goes. Never change either
 * instant. `origin` goes before the paths of links; it may be empty.
 */
export function deprecationHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    // RFC 9745: `@` and seconds since 1970.
    Deprecation: "@1795219200",
    // RFC 8594.
    Sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
    Link:
      `<${origin}/v1/pets?status=available>; rel="successor-version", ` +
      `<${origin}/docs>; rel="deprecation"; type="text/html"`,
  };
}

/** Answers in place of getPet if the operator has turned it off. */
export const removedGetPet: Handler = () => {
  throw new ErrorAnswer(
    "operation_removed",
    "This operation was removed; use GET /v1/pets with the status filter.",
  );
};
