/** Says in one line of printable ASCII how a storage behaved: the comparison that failed, or an error. */
export function oneLine(error: unknown): string {
  if (!(error instanceof Error)) return `rejected with ${String(error)}, which is no Error`;
  const { code, operator = "", actual, expected } = error as Partial<Comparison> & Error;
  const text = error.message.replace(/\s+/g, " ").trim();
  if (code !== "ERR_ASSERTION") return `${error.name}${code ? ` (${code})` : ""}: ${text}`;
  if (!operator.endsWith("trictEqual")) return text;
  // Node adds a comparison in many lines.
  const [what] = error.message.split("\n");
  if (!Array.isArray(actual) || !Array.isArray(expected)) {
    return `${what} is ${show(actual)}, expected ${show(expected)}`;
  }
  // Long lists mostly differ in one place.
  const place = expected.findIndex((one, n) => toText(one) !== toText(actual[n]));
  const n = place === -1 ? expected.length : place;
  const counts = `${actual.length} in place of ${expected.length}`;
  return `${what} (${counts}) has ${show(actual[n])} as number ${n + 1}, expected ${show(expected[n])}`;
}

/** The members of an `AssertionError` that `equal` and `deepEqual` fill. */
interface Comparison {
  readonly code: string;
  readonly operator: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** A value in printable ASCII, cut if it is long. */
function show(value: unknown): string {
  const text = toText(value).replace(/[^ -~]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length} characters)` : text;
}

function toText(value: unknown): string {
  const exactly = (_name: string, member: unknown) => (typeof member === "bigint" ? `${member}n` : member);
  return typeof value === "bigint" ? `${value}n` : (JSON.stringify(value, exactly) ?? String(value));
}
