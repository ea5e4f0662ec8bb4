import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { answerError, describeError, INTERNAL_ERROR } from "../answer/answer-error.js";
import type { Handler } from "../context.js";

/** Answers every error that is thrown below with an Error body. */
export function answerErrors(log: Logger): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const described = describeError(error);
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
    }
  } catch {
    // A log that fails must not cost the answer, and there is no other place to report that.
  }
}
