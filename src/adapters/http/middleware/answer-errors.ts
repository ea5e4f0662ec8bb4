import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { answerError, INTERNAL_ERROR } from "../answer/answer-error.js";
import { describeError, errorOfStatus } from "../answer/describe-error.js";
import { HttpError } from "../answer/error-codes.js";
import type { Handler } from "../context.js";

/** Turns what a later middleware throws, and an error status that one sets without a body, into an answer. */
export function answerErrors(log: Logger): Handler {
  return async (ctx, next) => {
    try {
      await next();
      const { status, body, respond } = ctx;
      if (status >= 400 && (body === undefined || body === null) && respond !== false) {
        answerError(ctx, errorOfStatus(status));
      }
    } catch (error) {
      const described = describeError(error, ctx.state.isRouted);
      answerError(ctx, described);
      logCause(log, ctx.state.requestId, error, described.code);
    }
  };
}

/** Logs the cause of an error, which only the operator may know. */
function logCause(log: Logger, requestId: string, error: unknown, code: string): void {
  if (isPetstoreError(error)) {
    if (error.cause) log.error({ requestId, err: error.cause, code }, "request failed");
  } else if (code === INTERNAL_ERROR.code) {
    log.error({ requestId, err: error, code }, "request failed unexpectedly");
  } else if (!(error instanceof HttpError) && (error as { expose?: unknown }).expose !== true) {
    // A client may not read the message of such an error.
    log.error({ requestId, err: error, code }, "request refused by a middleware");
  }
}
