import { AssertionError } from "node:assert/strict";
import { inspect } from "node:util";
import { isPetstoreError } from "../domain/errors.js";

export class CallRejected extends AssertionError {
  constructor(
    call: string,
    override readonly cause: unknown,
  ) {
    super({ message: `${call} rejected with ${describeError(cause)}` });
  }
}

/** Says in one line why a case failed. A generated message is about the result of the last call. */
export function describeFailure(error: unknown, lastCall: string): string {
  if (!(error instanceof AssertionError)) return `after ${lastCall}: ${describeError(error)}`;
  if (!error.generatedMessage) return oneLine(error.message);
  return `${lastCall}: expected ${show(error.expected)}, seen ${show(error.actual)}`;
}

/** Describes an error in one line, with its innermost cause and the place that created it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `${show(error)} (not an Error)`;
  const cause = innermost(error);
  const outer = isPetstoreError(error) ? error.code : named(error);
  const location = cause.stack?.split("\n").find((line) => /^\s+at (?!.*node:)/.test(line)) ?? "";
  return `${outer}${cause === error ? "" : `, caused by ${named(cause)}`}${location && `, ${location.trim()}`}`;
}

/** Copies an error as texts, since test runners fail to report an error that contains a bigint. */
export function toText(error: unknown): Error {
  const text = new Error(describeError(error));
  if (error instanceof Error) text.stack = `${error.stack}`;
  return text;
}

/** Formats a value in printable ASCII, truncated if it is long. */
export function show(value: unknown): string {
  const text = inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY });
  const shown = text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return shown.length > 160 ? `${shown.slice(0, 160)}… (${shown.length} characters)` : shown;
}

function innermost(error: Error): Error {
  const cause: unknown = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  return cause instanceof Error ? innermost(cause) : error;
}

function named({ name, message }: Error): string {
  return `${name}: ${oneLine(message)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
