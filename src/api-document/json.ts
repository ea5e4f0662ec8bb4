/** A part of the document: plain JSON, but for int64 bounds, which are bigint. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** The JSON text of a value. It writes bigints exactly, which JSON.stringify cannot write. */
export function exactJson(value: Json): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `bigint:${part}` : part), 2);
  return text.replace(/"bigint:(-?\d+)"/g, "$1");
}

/** A reference to a component of the document. */
export function ref(kind: "schemas" | "headers", name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
