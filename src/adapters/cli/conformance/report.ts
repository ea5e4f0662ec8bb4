import { styleText } from "node:util";
import { print, printJson } from "../output.js";

/** The result of a case. */
export interface Result {
  readonly name: string;
  readonly rule: string;
  readonly outcome: "held" | "broken" | "not asked";
  /** How the storage broke the rule, or why the case was not asked. */
  readonly seen?: string;
}

/** Prints the result on standard output: for people, a line for each broken rule and the sum. Resolves to whether that took it. */
export function printResults(
  results: readonly Result[],
  storages: readonly string[],
  json: boolean,
): Promise<boolean> {
  const held = results.filter(({ outcome }) => outcome === "held").length;
  const broken = results.filter(({ outcome }) => outcome === "broken");
  if (json) {
    const notAsked = results.length - held - broken.length;
    return printJson({ held, broken: broken.length, notAsked, cases: results, storages });
  }
  const lines = broken.map(({ name, rule, seen }) => `${styleText("red", name)}: ${rule} Seen: ${seen}`);
  return print([...lines, `${held} held, ${broken.length} broken`].join("\n"));
}

/** Prints on standard error which cases were not asked, and why. */
export function explainNotAsked(results: readonly Result[]): void {
  const names = new Map<string, string[]>();
  for (const { name, outcome, seen = "" } of results) {
    if (outcome === "not asked") names.set(seen, [...(names.get(seen) ?? []), name]);
  }
  for (const [reason, cases] of names) console.error(`Not asked, since ${reason}: ${cases.join("; ")}`);
}

/** Lists on standard error the storages that are left to look at, or to remove. */
export function listStorages(storages: readonly string[]): void {
  if (storages.length === 0) return;
  console.error("These storages were made, and are left for you to look at:");
  for (const url of storages) console.error(`  ${url}`);
}
