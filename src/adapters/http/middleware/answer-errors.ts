import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Log } from "../../../application/ports/log.js";
import { isPetstoreError } from "../../../domain/errors.js";
import type { Handler } from "../context.js";
import { codeOfStatus, HttpError, isWireErrorCode } from "../http-error.js";
import { sendJson } from "../shared/send-json.js";

/** Turns errors of later middleware into `{ code, message, status }`. Whatever they throw, it throws nothing itself. */
export function answerErrors(log: Log): Handler {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { code, status, headers, body } = toHttpError(error);
      const { requestId } = ctx.state;
      if (code === "internal_error") log.error({ requestId, err: error }, "request failed unexpectedly");
      // `reject.ts` has responded, since the rest of the request was malformed.
      if (ctx.headerSent) return;
      ctx.state.errorCode = code;
      ctx.status = status;
      ctx.set(headers);
      sendJson(ctx, body);
    }
  };
}

function toHttpError(error: unknown): HttpError {
  try {
    if (error instanceof HttpError) return error;
    if (isPetstoreError(error) && isWireErrorCode(error.code))
      return new HttpError(error.code, error.message);
    if (isForeign(error)) return fromForeign(error);
  } catch {
    // A getter of the error threw, or a part of it cannot be sent.
  }
  return new HttpError("internal_error", "The service failed; the failure was logged. Try again later.");
}

/** What the package http-errors creates, in whatever copy of it middleware from npm uses. */
type ForeignError = Error & {
  status: number;
  statusCode: number;
  expose: boolean;
  headers?: Record<string, string>;
};

function isForeign(error: unknown): error is ForeignError {
  const { status, statusCode, expose } = error as Partial<ForeignError>;
  const hasStatus = status === statusCode && /^[45]\d\d$/.test(String(status));
  return error instanceof Error && hasStatus && typeof expose === "boolean";
}

function fromForeign({ status, expose, message, headers = {} }: ForeignError): HttpError {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const text = expose ? message : "The request was rejected.";
  return new HttpError(codeOfStatus(status), text, headers, Number(status));
}
