import { AssertionError } from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";
import { isPetstoreError } from "../domain/errors.js";

// Each text begins with the call that a storage answered wrongly, if it was a call.

/** The folder of petstore's own code. */
const PETSTORE = new URL("../", import.meta.url).href;

/** The calls that rejected with an error, as `callText` writes them. */
const CALLS = new WeakMap<Error, string>();

/** A call as a text, e.g. `get(5n)`. */
export function callText(operation: string, args: readonly unknown[]): string {
  const shown = args.filter((arg) => arg !== undefined).map((arg) => show(arg));
  return `${operation}(${shown.join(", ")})`;
}

/** Makes the methods of an object name the call in their errors, and keep it in `pending` until it settles. */
export function watch<Port extends object>(port: Port, pending = new Set<string>()): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]) => {
        const call = callText(String(name), args);
        pending.add(call);
        try {
          return await method.apply(target, args);
        } catch (error) {
          if (error instanceof Error) CALLS.set(error, call);
          throw error instanceof Error
            ? error
            : new AssertionError({ message: `${call} rejected with ${describeError(error)}` });
        } finally {
          pending.delete(call);
        }
      };
    },
  });
}

/** An error in one line, with its innermost cause and the line outside petstore that made it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `${String(error)}, which is no Error`;
  const cause = innermost(error);
  const outer = isPetstoreError(error) ? error.code : named(error);
  return `${outer}${cause === error ? "" : `, caused by ${named(cause)}`}${lineOf(cause)}`;
}

/** Says in one line what a case saw as it ended with this error. */
export function seenIn(error: unknown): string {
  if (error instanceof AssertionError) return error.message.replace(/\s+/g, " ").trim();
  const call = error instanceof Error ? CALLS.get(error) : undefined;
  return `${call ?? "the storage"} rejected with ${describeError(error)}`;
}

/** Asserts that a call, or another thing that `what` names, has given what is expected. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new AssertionError({ message: `${what} is ${difference(actual, expected)}` });
}

function difference(actual: unknown, expected: unknown): string {
  if (!Array.isArray(actual) || !Array.isArray(expected) || actual.length + expected.length < 3) {
    return `${show(actual)}, expected ${show(expected)}`;
  }
  // Long lists mostly differ in one place.
  const longer = actual.length > expected.length ? actual : expected;
  const n = longer.findIndex((_, place) => !isDeepStrictEqual(actual[place], expected[place]));
  const [one, other] = [actual, expected].map((all) => (n in all ? show(all[n]) : "nothing"));
  const lengths =
    actual.length === expected.length ? "" : ` of ${actual.length}, expected ${expected.length},`;
  return `a list${lengths} whose number ${n + 1} is ${one}, expected ${other}`;
}

function innermost(error: Error, outer: readonly Error[] = []): Error {
  const [first] = error instanceof AggregateError ? error.errors : [];
  const cause: unknown = error.cause ?? first;
  return cause instanceof Error && !outer.includes(cause) ? innermost(cause, [...outer, error]) : error;
}

function named(error: Error): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  return `${name}${code ? ` (${code})` : ""}: ${message.replace(/\s+/g, " ").trim()}`;
}

/** The first line of the stack that is neither petstore's nor Node's. */
function lineOf({ stack = "" }: Error): string {
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const line = lines.find((one) => !one.includes(PETSTORE) && !one.includes("node:"));
  return line ? `, ${line.trim()}` : "";
}

/** A value in printable ASCII, cut if it is long. */
function show(value: unknown): string {
  const text = inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY }).replace(
    /[^ -~]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length} characters)` : text;
}
