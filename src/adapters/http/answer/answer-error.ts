import type { IncomingMessage } from "node:http";
import Koa from "koa";
import { isPetstoreError } from "../../../domain/errors.js";
import type { Context } from "../context.js";
import { answer, JSON_TYPE } from "./answer.js";
import { HttpError } from "./error-codes.js";
import { describeForeign, foreignError } from "./foreign-error.js";

export const INTERNAL_ERROR = new HttpError(
  "internal_error",
  "The service failed; the failure was logged. Try again later.",
);

/** Turns a thrown value into an error answer: `INTERNAL_ERROR` for an unexpected one. */
export function describeError(error: unknown, ctx: Context): HttpError {
  if (error instanceof HttpError) return error;
  if (isPetstoreError(error)) return new HttpError(error.code, error.message);
  // Once a handler was reached, the error may be that of a storage's driver: its `status` is not about this request.
  if (ctx.state.isRouted && !(error instanceof Koa.HttpError)) return INTERNAL_ERROR;
  return describeForeign(error) ?? INTERNAL_ERROR;
}

/** Headers that describe the body which the error replaces. */
const OF_THE_BODY = [
  "Content-Encoding",
  "ETag",
  "Last-Modified",
  "Content-Range",
  "Transfer-Encoding",
  "Trailer",
];

/** After how many seconds a client that got a 503 may try again. */
const RETRY_AFTER = ["Retry-After", "1"];

/**
 * Answers with an Error body. A middleware that may refuse many requests at once, such as those of a flood, calls this
 * function and does not throw: a throw takes as long as a whole answer.
 */
export function answerError(ctx: Context, error: HttpError): void {
  const { req, res, state, response } = ctx;
  if (res.headersSent) return;
  state.errorCode = error.code;
  if (!req.complete) discardBody(req);
  if (response.body !== undefined) for (const name of OF_THE_BODY) res.removeHeader(name);
  const retry = error.status === 503 ? RETRY_AFTER : [];
  answer(ctx, error.status, JSON_TYPE.concat(error.headers, retry), error.body);
}

/** Gives an error status that a middleware has set without a body its Error body, where Koa sends the status's name. */
export function fillInError(ctx: Context): void {
  const { response } = ctx;
  if (response.status < 400 || (response.body !== undefined && response.body !== null)) return;
  if (ctx.respond !== false && !ctx.res.headersSent) answerError(ctx, foreignError(response.status));
}

/** How much of a refused body to read and drop, so that the client can read the answer: 1 MiB. */
const DISCARD_LIMIT = 1024 * 1024;

/** Reads the rest of an unwanted body, within bounds: to close at once could lose the answer in a reset. */
function discardBody(req: IncomingMessage): void {
  let discarded = 0;
  req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_LIMIT) req.destroy();
  });
  // The reader of bodies pauses a body that is too large.
  req.resume();
}
