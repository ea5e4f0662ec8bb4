/** The JSON text of a value, as JSON.stringify lays it out. It writes bigints digit for digit, which JSON.stringify cannot write. */
export function exactJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(
    value,
    (_, part) => (typeof part === "bigint" ? `bigint:${part}` : part),
    indent,
  );
  return text.replace(/"bigint:(-?\d+)"/g, "$1");
}
