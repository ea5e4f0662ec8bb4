import Koa from "koa";
import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import type { Handler } from "../context.js";
import { JSON_TYPE } from "../headers.js";
import { HttpError } from "../http-error.js";

/** Turns errors of later middleware into `{ code, message, status }`. */
export function answerErrors(log: Logger): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { code, status, headers, body } = toHttpError(error);
      const { requestId } = ctx.state;
      if (status === 500) log.error({ requestId, err: error }, "request failed unexpectedly");
      ctx.state.errorCode = code;
      ctx.status = status;
      ctx.set(headers);
      ctx.set("Content-Type", JSON_TYPE);
      ctx.body = body;
    }
  };
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isPetstoreError(error)) return new HttpError(error.code, error.message);
  // Thrown by third-party middleware.
  if (error instanceof Koa.HttpError && error.expose) {
    return new HttpError("malformed_request", error.message, error.headers, error.status);
  }
  return new HttpError("internal_error", "The service failed; the failure was logged. Try again later.");
}
