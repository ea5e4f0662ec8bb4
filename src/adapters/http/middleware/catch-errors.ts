import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { answerError, describeError, INTERNAL_ERROR } from "../answer/answer-error.js";
import { HttpError } from "../answer/error-codes.js";
import { fillInError } from "../answer/write-answer.js";
import type { Handler } from "../context.js";

/** Turns every error that a later handler throws into an answer, with an Error body. */
export function catchErrors(log: Logger): Handler {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.res.statusCode >= 400) fillInError(ctx);
    } catch (error) {
      const described = describeError(error, ctx);
      answerError(ctx, described);
      logCause(log, ctx.state.requestId, error, described.code);
    }
  };
}

/** Logs the cause of an error, which only the operator may know. */
function logCause(log: Logger, requestId: string, error: unknown, code: string): void {
  try {
    if (isPetstoreError(error)) {
      if (error.cause) log.error({ requestId, err: error.cause, code }, "request failed");
    } else if (code === INTERNAL_ERROR.code) {
      log.error({ requestId, err: error, code }, "request failed unexpectedly");
    } else if (!(error instanceof HttpError) && !isExposed(error)) {
      log.error({ requestId, err: error, code }, "request refused by a middleware");
    }
  } catch {
    // A log that fails must not cost the answer, and there is no other place to report that.
  }
}

/** Whether a client may read the message of an error that a middleware from npm throws. */
function isExposed(error: unknown): boolean {
  return error instanceof Error && "expose" in error && error.expose === true;
}
