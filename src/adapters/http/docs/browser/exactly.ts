/** Two parts of the language that TypeScript does not know yet (ECMAScript 2026, "JSON.parse source text access"). */
const { rawJSON, parse } = JSON as unknown as {
  readonly rawJSON?: (text: string) => unknown;
  readonly parse: (
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ) => unknown;
};

/**
 * Lays JSON out with every number as it was written. Any other text stays as it came, and so does JSON if the engine
 * could round a number.
 */
export function exactly(text: string): string {
  if (!rawJSON) return text;
  try {
    const value = parse(text, (_, value, { source }) =>
      typeof value === "number" ? rawJSON(source) : value,
    );
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
