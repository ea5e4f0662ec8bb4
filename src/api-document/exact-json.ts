/** The JSON text of a value, laid out for people. It writes bigints digit for digit, which JSON.stringify cannot write. */
export function exactJson(value: unknown): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `bigint:${part}` : part), 2);
  return text.replace(/"bigint:(-?\d+)"/g, "$1");
}
