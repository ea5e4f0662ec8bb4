import { readFileSync } from "node:fs";

/** The version of this package, which `package.json` has. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8")).version;
}
