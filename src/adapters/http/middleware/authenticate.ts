import type { KeyVerifier } from "../../../application/ports/key-verifier.js";
import { HttpError } from "../http-error.js";
import type { Handler } from "../operations.js";
import { answerError } from "./answer-errors.js";

/** Requires a valid API key (RFC 6750, section 2.1) under /v1, whatever the path and method. */
export function authenticate(keys: KeyVerifier): Handler {
  return (ctx, next) => {
    if (ctx.path !== "/v1" && !ctx.path.startsWith("/v1/")) return next();
    const [, scheme = "", secret = ""] = /^([^ ]*) *(.*)$/.exec(ctx.req.headers.authorization ?? "") ?? [];
    // Throws nothing: any client can cause this, so it should cost little.
    if (scheme.toLowerCase() !== "bearer") return answerError(ctx, MISSING);
    // Set even for an expired key: the log names it, so that the operator finds the client.
    const key = keys.find(secret);
    ctx.state.key = key;
    return !key || key.isExpired ? answerError(ctx, INVALID) : next();
  };
}

const MISSING = new HttpError(
  "missing_credentials",
  "An API key is required; send it as the header Authorization: Bearer <API_KEY>.",
  { "WWW-Authenticate": 'Bearer realm="petstore"' },
);
const INVALID = new HttpError(
  "invalid_credentials",
  "The API key is not accepted; ask the operator for a valid one.",
  { "WWW-Authenticate": 'Bearer realm="petstore", error="invalid_token"' },
);
