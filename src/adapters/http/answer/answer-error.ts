import type { IncomingMessage } from "node:http";
import Koa from "koa";
import { isPetstoreError } from "../../../domain/errors.js";
import type { Context } from "../context.js";
import { answerJson } from "./answer-json.js";
import {
  errorBody,
  type Headers,
  HttpError,
  RETRY_AFTER_SECONDS,
  STATUS_OF_CODE,
  type WireErrorCode,
} from "./error-codes.js";
import { describeForeign, type ForeignError } from "./foreign-error.js";

/** The content of an error answer. */
interface DescribedError {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly headers?: Headers;
}

export const INTERNAL_ERROR: DescribedError = {
  code: "internal_error",
  message: "The service failed; the failure was logged. Try again later.",
};

/** Turns a thrown value into an error answer: `INTERNAL_ERROR` for an unexpected one. */
export function describeError(error: unknown, ctx: Context): DescribedError | ForeignError {
  if (error instanceof HttpError || isPetstoreError(error)) return error;
  // Once a route was taken, the error may be that of a storage's driver: its `status` is not about this request.
  if (ctx.routerName !== undefined && !(error instanceof Koa.HttpError)) return INTERNAL_ERROR;
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

/**
 * Answers with an Error body. A middleware that refuses a request calls this function and does not throw: a throw
 * takes as long as a whole answer.
 */
export function answerError(ctx: Context, described: DescribedError | ForeignError): void {
  const { code, message, headers } = described;
  ctx.state.errorCode = code;
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  if (!ctx.req.complete) discardBody(ctx.req);
  if (ctx.response.body !== undefined) for (const name of OF_THE_BODY) ctx.response.remove(name);
  const status = "status" in described ? described.status : STATUS_OF_CODE[described.code];
  for (const name in headers) ctx.res.setHeader(name, headers[name] as string);
  if (status === 503) ctx.response.set("Retry-After", String(RETRY_AFTER_SECONDS));
  answerJson(ctx, status, described instanceof HttpError ? described.body : errorBody(code, message, status));
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
