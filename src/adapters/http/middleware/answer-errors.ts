import { STATUS_CODES } from "node:http";
import Koa from "koa";
import type { Logger } from "pino";
import { isPetstoreError } from "../../../domain/errors.js";
import { answerError, INTERNAL_ERROR } from "../answer/answer-error.js";
import { codeOfStatus, ErrorAnswer } from "../answer/error-codes.js";
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
  } else if (!(error instanceof ErrorAnswer) && (error as { expose?: unknown }).expose !== true) {
    // A client may not read the message of such an error.
    log.error({ requestId, err: error, code }, "request refused by a middleware");
  }
}

/** An error in the convention of Koa and its middleware (`http-errors`). */
type ConventionalError = Error &
  Partial<Record<"status" | "statusCode" | "expose", unknown>> & {
    readonly headers?: Readonly<Record<string, string>>;
  };

/**
 * Turns a thrown value into an error answer: `INTERNAL_ERROR` for an unexpected one. If an error of Koa's convention has
 * a 4xx, the client learns its status, and its message if `expose` is true.
 *
 * @param isRouted whether a handler was reached: then the error may be that of a storage's driver, whose `status` is not
 * about this request
 */
function describeError(error: unknown, isRouted: boolean): ErrorAnswer {
  if (error instanceof ErrorAnswer) return error;
  if (isPetstoreError(error)) return new ErrorAnswer(error.code, error.message);
  if (!(error instanceof Error) || (isRouted && !(error instanceof Koa.HttpError))) return INTERNAL_ERROR;
  const { status, statusCode, expose, message, headers } = error as ConventionalError;
  const answered = status ?? statusCode;
  if (typeof answered !== "number" || answered >= 500) return INTERNAL_ERROR;
  return errorOfStatus(answered, expose === true ? message : "", headers);
}

/** The answer in place of a status that a middleware from npm sets. */
function errorOfStatus(
  status: number,
  message = "",
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  const code = codeOfStatus(status);
  if (code === INTERNAL_ERROR.code) return INTERNAL_ERROR;
  const text = message || `The request was refused: ${STATUS_CODES[status] ?? status}.`;
  return new ErrorAnswer(code, text, headers);
}
