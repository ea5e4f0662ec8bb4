import type { ExampleRequest } from "../../browser/text/code-samples.js";
import type { Json, JsonObject } from "../../json.js";
import type { PlacedOperation } from "./placed-operation.js";

/** The address of the program by default. The script replaces it by the page's own origin. */
const DEFAULT_ORIGIN = "http://127.0.0.1:3000";

/** The request with the values that the fields have at first. */
export function requestOf({ method, path, operation }: PlacedOperation): ExampleRequest {
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of (operation.parameters ?? []) as readonly JsonObject[]) {
    const name = parameter.name as string;
    const preset = PRESETS[name];
    if (preset === undefined) continue;
    if (parameter.in === "path") filled = filled.replace(`{${name}}`, preset);
    else query.set(name, preset);
  }
  const url = DEFAULT_ORIGIN + filled + (query.size > 0 ? `?${query}` : "");
  const body = exampleBody(operation);
  return { method, url, headers: body === undefined ? {} : { "Content-Type": "application/json" }, body };
}

/** The values of the fields that are not empty at first. */
export const PRESETS: Readonly<Record<string, string>> = { limit: "2", petId: "42" };

/** The shortest example of a body, on one line. */
export function exampleBody({ requestBody }: JsonObject): string | undefined {
  if (!requestBody) return undefined;
  const { content } = requestBody as { content: { "application/json": { examples: JsonObject } } };
  const { value } = content["application/json"].examples.required as { value: Record<string, Json> };
  return `{${Object.entries(value)
    .map(([name, member]) => `"${name}": ${JSON.stringify(member)}`)
    .join(", ")}}`;
}
