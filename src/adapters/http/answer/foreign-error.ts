import { STATUS_CODES } from "node:http";
import {
  ERROR_CODES,
  type HeaderList,
  HttpError,
  STATUS_OF_CODE,
  type WireErrorCode,
} from "./error-codes.js";

/** An error in the convention of Koa and its middleware (`http-errors`). */
type ConventionalError = Error & Partial<Record<"status" | "statusCode" | "expose" | "headers", unknown>>;

/**
 * The answer to an error of that convention, if its status is 4xx; otherwise undefined. A client may read its message if
 * `expose` is true. Of a 5xx the client learns only the status.
 */
export function describeForeign(error: unknown): HttpError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, statusCode, expose, message, headers } = error as ConventionalError;
  const answered = status ?? statusCode;
  if (typeof answered !== "number" || !(answered >= 400 && answered < 500)) return undefined;
  return foreignError(answered, expose === true ? message : "", Object.entries(headers ?? {}).flat());
}

/**
 * The answer to a status that a middleware from npm sets. If the list has no code for a 4xx, the code is the name of
 * the status, e.g. `forbidden`.
 */
export function foreignError(status: number, message = "", headers: HeaderList = []): HttpError {
  const code = listedCode(status);
  if (code) return new HttpError(code, message || ERROR_CODES[code].remedy, headers);
  const name = STATUS_CODES[status] as string;
  const own = name.toLowerCase().replace(/\W+/g, "_") as WireErrorCode;
  return new HttpError(own, message || `${name}.`, headers, status);
}

/** The statuses that the contract replaces by 400. */
const REPLACED = new Set([414, 417]);

function listedCode(status: number): WireErrorCode | undefined {
  if (status === 404) return "route_not_found";
  const codes = Object.keys(ERROR_CODES) as WireErrorCode[];
  const code = codes.find((one) => STATUS_OF_CODE[one] === status);
  if (code) return code;
  if (status >= 500) return "internal_error";
  return REPLACED.has(status) || STATUS_CODES[status] === undefined ? "malformed_request" : undefined;
}
