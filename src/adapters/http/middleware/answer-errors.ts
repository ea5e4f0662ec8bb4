import type Koa from "koa";
import type { Log } from "../../../application/ports/log.js";
import { isPetstoreError } from "../../../domain/errors.js";
import { codeOfStatus, HttpError, STATUS_OF_CODE } from "../http-error.js";
import type { Context, Handler } from "../operations.js";

/** Turns whatever later middleware throws into `{ code, message, status }`. */
export function answerErrors(log: Log): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toHttpError(thrown);
      const { requestId } = ctx.state;
      if (error.code === "internal_error")
        log.error({ requestId, err: thrown }, "request failed unexpectedly");
      answerError(ctx, error);
    }
  };
}

/** Responds with an error, unless `reject.ts` has responded to a malformed rest of the request. */
export function answerError(ctx: Context, { code, status, headers, body }: HttpError): void {
  if (ctx.headerSent) return;
  ctx.state.errorCode = code;
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

/** Returns a listener for Koa's own errors, which occur while it writes a response. */
export function logUnanswered(log: Log) {
  return (err: unknown, ctx?: Context) => {
    // A disconnected client is not an error.
    if (!ctx?.req.socket.destroyed) log.error({ err }, "sending a response failed");
  };
}

function toHttpError(error: unknown): HttpError {
  try {
    if (error instanceof HttpError) return error;
    // Another version of this package may use a code that is unknown here.
    if (isPetstoreError(error) && Object.hasOwn(STATUS_OF_CODE, error.code)) {
      return new HttpError(error.code, error.message);
    }
    // Errors of http-errors, whose class differs between copies of that package.
    const { status, statusCode, expose, message } = error as InstanceType<typeof Koa.HttpError>;
    if (typeof expose === "boolean" && status === statusCode) {
      return new HttpError(codeOfStatus(status), expose ? message : "The request was rejected.", {}, status);
    }
  } catch {
    // It is not an object, or one of its getters threw.
  }
  return new HttpError("internal_error", "The service failed; the failure was logged. Try again later.");
}
