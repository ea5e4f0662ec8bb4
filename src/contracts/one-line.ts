import { AssertionError } from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";

/** Says in one line how a storage behaved: the comparison that failed, or an error. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return `rejected with ${String(error)}, which is no Error`;
  const text = error.message.replace(/\s+/g, " ").trim();
  if (!(error instanceof AssertionError)) {
    const { code } = error as NodeJS.ErrnoException;
    return `${error.name}${code ? ` (${code})` : ""}: ${text}`;
  }
  if (!error.operator?.endsWith("trictEqual")) return text;
  const { actual, expected } = error as { actual: unknown; expected: unknown };
  // Node adds a comparison in many lines.
  const [what] = error.message.split("\n");
  if (!Array.isArray(actual) || !Array.isArray(expected)) {
    return `${what} is ${show(actual)}, expected ${show(expected)}`;
  }
  // Long lists mostly differ in one place.
  const place = expected.findIndex((one, n) => !isDeepStrictEqual(one, actual[n]));
  const n = place === -1 ? expected.length : place;
  const counts = `${actual.length} in place of ${expected.length}`;
  return `${what} (${counts}) has ${show(actual[n])} as number ${n + 1}, expected ${show(expected[n])}`;
}

/** A value in printable ASCII, cut if it is long. */
function show(value: unknown): string {
  const text = inspect(value, { compact: true, breakLength: Number.POSITIVE_INFINITY }).replace(
    /[^ -~]/gu,
    (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`,
  );
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length} characters)` : text;
}
