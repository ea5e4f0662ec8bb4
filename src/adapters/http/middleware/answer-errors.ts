import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import {
  errorBody,
  type Headers,
  HttpError,
  RETRY_AFTER_SECONDS,
  STATUS_OF_CODE,
  type WireErrorCode,
} from "../answer/error-codes.js";
import { respond } from "../answer/respond.js";
import type { Context, Handler } from "../context.js";

/** How much of a refused body is read and thrown away, so that the client gets to read the answer: 1 MiB. */
const DISCARD_LIMIT = 1024 * 1024;

/** Answers whatever is thrown below with an Error body. */
export function answerErrors(log: Logger): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      answerError(ctx, describe(error, ctx.state.requestId, log));
    }
  };
}

/** Answers with an Error body. What refuses a request at once calls it itself: to throw takes as long as to answer. */
export function answerError(ctx: Context, { code, message, headers }: DescribedError): void {
  ctx.state.errorCode = code;
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    return;
  }
  const status = STATUS_OF_CODE[code];
  if (!ctx.req.complete) discardBody(ctx.req);
  respond(
    ctx,
    status,
    errorBody(code, message),
    status === 503 ? { ...headers, "Retry-After": RETRY_AFTER_SECONDS } : headers,
  );
}

interface DescribedError {
  readonly code: WireErrorCode;
  readonly message: string;
  readonly headers?: Headers;
}

function describe(error: unknown, requestId: string, log: Logger): DescribedError {
  if (error instanceof HttpError) return error;
  if (isPetstoreError(error)) {
    if (error.cause) log.error({ requestId, err: error.cause, code: error.code }, "request failed");
    return error;
  }
  log.error({ requestId, err: error, code: "internal_error" }, "request failed unexpectedly");
  return { code: "internal_error", message: "The service failed; the failure was logged. Try again later." };
}

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
