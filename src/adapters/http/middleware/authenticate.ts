import type { KeyVerifier } from "../../../application/ports/key-verifier.js";
import type { Handler } from "../context.js";
import { HttpError } from "../http-error.js";

/** Requires a valid API key (RFC 6750, section 2.1) of every request under /v1, whatever its path and method. */
export function authenticate(keys: KeyVerifier): Handler {
  return ({ path, req, state }, next) => {
    if (path !== "/v1" && !path.startsWith("/v1/")) return next();
    const [, scheme = "", secret = ""] = /^([^ ]*) *(.*)$/.exec(req.headers.authorization ?? "") ?? [];
    if (scheme.toLowerCase() !== "bearer") throw MISSING;
    // Set even for an expired key: the log names it, so that the operator finds the client.
    state.key = keys.find(secret);
    if (!state.key || state.key.isExpired) throw INVALID;
    return next();
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
