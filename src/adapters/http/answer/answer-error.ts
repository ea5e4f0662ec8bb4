import type { IncomingMessage } from "node:http";
import { hasBody } from "../body/request-body.js";
import type { Context } from "../context.js";
import { HttpError } from "./error-codes.js";
import { JSON_TYPE } from "./fixed-headers.js";

export const INTERNAL_ERROR = new HttpError(
  "internal_error",
  "The service failed; the failure was logged. Try again later.",
);

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
 * Answers with an Error body. A middleware that may refuse many requests at once, such as those of a flood, calls this
 * function and does not throw: a throw takes as long as a whole answer.
 */
export function answerError(ctx: Context, error: HttpError): void {
  const { req, res, state } = ctx;
  if (res.headersSent) return;
  state.errorCode = error.code;
  if (!req.complete && hasBody(req)) discardBody(req);
  if (ctx.body !== undefined) for (const name of OF_THE_BODY) ctx.remove(name);
  ctx.status = error.status;
  ctx.set(JSON_TYPE);
  ctx.set(error.headers);
  ctx.body = error.body;
}

/** How much of a refused body to read and drop, so that the client can read the answer: 1 MiB, in at most 1024 pieces. */
const DISCARD_LIMIT = { bytes: 1024 * 1024, pieces: 1024 };

/** Reads the rest of an unwanted body, within bounds: to close at once could lose the answer in a reset. */
function discardBody(req: IncomingMessage): void {
  const discarded = { bytes: 0, pieces: 0 };
  req.on("data", (chunk: Buffer) => {
    discarded.bytes += chunk.length;
    // Node tells of each chunk of the body, which may be of one byte.
    discarded.pieces += 1;
    if (discarded.bytes > DISCARD_LIMIT.bytes || discarded.pieces > DISCARD_LIMIT.pieces) req.destroy();
  });
  // The reader of bodies pauses a body that is too large.
  req.resume();
}
