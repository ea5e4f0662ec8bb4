import type { ApiKey, KeyVerifier } from "../../../application/ports/key-verifier.js";
import { answerError } from "../answer/answer-error.js";
import { ErrorAnswer } from "../answer/error-codes.js";
import type { Context, Handler } from "../context.js";

/** Refuses every request under /v1 that carries no valid API key (RFC 6750, section 2.1). */
export function authenticate(verifier: KeyVerifier): Handler {
  return (ctx, next) => {
    const { path, req, state } = ctx;
    if (path !== "/v1" && !path.startsWith("/v1/")) return next();
    const { authorization = "" } = req.headers;
    const [, scheme = "", secret = ""] = /^([^ ]*) *(.*)$/.exec(authorization) ?? [];
    if (scheme.toLowerCase() !== "bearer") return answerError(ctx, MISSING_CREDENTIALS);
    const key = verifier.find(secret);
    // The log names an expired key, too, so that its operator finds the client.
    state.key = key;
    if (!key || key.isExpired) return answerError(ctx, INVALID_CREDENTIALS);
    return next();
  };
}

/** The key of a request that has passed authentication. */
export function callerOf({ state: { key } }: Context): ApiKey {
  if (!key) throw new Error("The path is not under /v1, where every request has a key.");
  return key;
}

const REALM = 'Bearer realm="petstore"';

const MISSING_CREDENTIALS = new ErrorAnswer(
  "missing_credentials",
  "An API key is required; send it as the header Authorization: Bearer <API_KEY>.",
  { "WWW-Authenticate": REALM },
);

const INVALID_CREDENTIALS = new ErrorAnswer(
  "invalid_credentials",
  "The API key is not accepted; ask the operator for a valid one.",
  { "WWW-Authenticate": `${REALM}, error="invalid_token"` },
);
