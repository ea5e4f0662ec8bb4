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
    if (isPetstoreError(error)) {
      const { code, message } = error;
      // Another version of this package may use a code that is unknown here.
      if (Object.hasOwn(STATUS_OF_CODE, code)) return new HttpError(code, message);
    }
    // Errors of http-errors, whose class differs between copies of that package.
    const { status, statusCode, expose, headers, message } = error as InstanceType<typeof Koa.HttpError>;
    const isStatus = Number.isInteger(status) && status >= 400 && status < 600;
    if (typeof expose === "boolean" && status === statusCode && isStatus) {
      const text = expose ? message : "The request was rejected.";
      // Throws for what cannot be sent.
      const sent = new Headers(headers);
      sent.delete("Content-Type");
      return new HttpError(codeOfStatus(status), text, Object.fromEntries(sent), status);
    }
  } catch {
    // It is not an object, one of its getters threw, or its headers cannot be sent.
  }
  return new HttpError("internal_error", "The service failed; the failure was logged. Try again later.");
}
