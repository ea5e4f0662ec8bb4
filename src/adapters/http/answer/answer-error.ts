import type { IncomingMessage } from "node:http";
import Koa from "koa";
import { isPetstoreError } from "../../../domain/errors.js";
import type { Context } from "../context.js";
import {
  codeOfStatus,
  errorBody,
  type Headers,
  HttpError,
  RETRY_AFTER_SECONDS,
  STATUS_OF_CODE,
  type WireErrorCode,
} from "./error-codes.js";
import { answerJson } from "./json.js";

/** What an error answer says. */
export interface DescribedError {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly headers?: Headers;
}

export const INTERNAL_ERROR: DescribedError = {
  code: "internal_error",
  message: "The service failed; the failure was logged. Try again later.",
};

/** What a client is told of something that was thrown; `INTERNAL_ERROR` if nobody expected it. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof HttpError || isPetstoreError(error)) return error;
  // What `ctx.throw` of a middleware from npm makes; of 5xx a client is told nothing more.
  if (error instanceof Koa.HttpError && error.status < 500) {
    return { code: codeOfStatus(error.status), message: error.message };
  }
  return INTERNAL_ERROR;
}

/** Headers that speak of a body which the error takes the place of. */
const OF_THE_BODY = ["Content-Encoding", "ETag", "Last-Modified", "Content-Range", "Transfer-Encoding"];

/** Answers with an Error body. A middleware that refuses a request calls it too: to throw takes as long as to answer. */
export function answerError(ctx: Context, { code, message, headers }: DescribedError): void {
  ctx.state.errorCode = code;
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  if (!ctx.req.complete) discardBody(ctx.req);
  if (ctx.response.body !== undefined) for (const name of OF_THE_BODY) ctx.response.remove(name);
  const status = STATUS_OF_CODE[code];
  if (headers) ctx.response.set({ ...headers });
  if (status === 503) ctx.response.set("Retry-After", String(RETRY_AFTER_SECONDS));
  answerJson(ctx, status, errorBody(code, message));
}

/** How much of a refused body is read and thrown away, so that the client gets to read the answer: 1 MiB. */
const DISCARD_LIMIT = 1024 * 1024;

/** Reads on a body that nobody wanted, within bounds: closing at once could reset the answer away. */
function discardBody(req: IncomingMessage): void {
  let discarded = 0;
  req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_LIMIT) req.destroy();
  });
  // What has read the body until it was too large has paused it.
  req.resume();
}
