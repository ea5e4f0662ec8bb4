/** Two parts of the language that TypeScript does not know yet (ECMAScript 2026, "JSON.parse source text access"). */
const { rawJSON, parse } = JSON as unknown as {
  readonly rawJSON?: (text: string) => unknown;
  readonly parse: (
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ) => unknown;
};

/** Lays JSON out with every number as it was written. An empty body stays empty. An engine that could round a number shows the text as it came. */
export function exactly(json: string): string {
  if (!rawJSON || json === "") return json;
  const value = parse(json, (_, value, { source }) => (typeof value === "number" ? rawJSON(source) : value));
  return JSON.stringify(value, null, 2);
}
