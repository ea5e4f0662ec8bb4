import { printJson, printTable, red } from "./output.js";

/** A setting; `describe-settings.ts` has masked the secrets in its value. */
export interface SettingRow {
  readonly name: string;
  /** Null if it is not set. */
  readonly value: string | null;
  readonly origin: "environment" | "default";
  /** The rule that it breaks; null if it breaks none. */
  readonly fault: string | null;
}

/** Shows the settings, and returns whether the program can start with them. */
export function showConfig(settings: readonly SettingRow[], { json }: { json?: true }): boolean {
  if (json) printJson(settings);
  else {
    printTable([
      ["SETTING", "VALUE", "FROM"],
      ...settings.map(({ name, value, origin, fault }) => [
        name,
        fault ? red(value ?? "-") : (value ?? "-"),
        origin,
      ]),
    ]);
    for (const { name, fault } of settings) if (fault) console.error(`petstore: ${name} ${fault}`);
  }
  return settings.every(({ fault }) => fault === null);
}
