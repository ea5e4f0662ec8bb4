import Koa from "koa";
import { isPetstoreError } from "../../../domain/errors.js";
import { INTERNAL_ERROR } from "./answer-error.js";
import { ERROR_CODES, HttpError, STATUS_OF_CODE, type WireErrorCode } from "./error-codes.js";

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
export function describeError(error: unknown, isRouted: boolean): HttpError {
  if (error instanceof HttpError) return error;
  if (isPetstoreError(error)) return new HttpError(error.code, error.message);
  if (!(error instanceof Error) || (isRouted && !(error instanceof Koa.HttpError))) return INTERNAL_ERROR;
  const { status, statusCode, expose, message, headers } = error as ConventionalError;
  const answered = status ?? statusCode;
  if (typeof answered !== "number" || answered >= 500) return INTERNAL_ERROR;
  return errorOfStatus(answered, expose === true ? message : "", headers);
}

/** The answer in place of a status that a middleware from npm sets. */
export function errorOfStatus(
  status: number,
  message = "",
  headers: Readonly<Record<string, string>> = {},
): HttpError {
  const code = codeOf(status);
  return new HttpError(code, message || ERROR_CODES[code].remedy, headers);
}

function codeOf(status: number): WireErrorCode {
  if (status === 404) return "route_not_found";
  if (status === 503) return "overloaded";
  const codes = Object.keys(ERROR_CODES) as WireErrorCode[];
  const listed = codes.find((code) => STATUS_OF_CODE[code] === status);
  return listed ?? (status >= 400 && status < 500 ? "malformed_request" : "internal_error");
}
