import { Console } from "node:console";
import { stripVTControlCharacters, styleText } from "node:util";

/** The option of every command that has a result. */
export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

export interface Output {
  readonly json?: true;
}

const stdout = new Console(process.stdout);

/** Prints a line of the result on standard output. */
export function print(line: string): void {
  stdout.log(line);
}

/** Prints one JSON value for scripts, which get nothing else on stdout. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints rows in columns, each as wide as its widest cell. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell + " ".repeat((widths[column] as number) - width(cell)));
    print(cells.join("  ").trimEnd());
  }
}

function width(cell = ""): number {
  return stripVTControlCharacters(cell).length;
}

/** Red on a terminal that shows colours, unless its user has set NO_COLOR (no-color.org), which Node knows. */
export function red(text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText("red", text) : text;
}

/** Prints on standard error a fault that the operator can correct, or why a command failed. */
export function complain(message: string): void {
  console.error(`petstore: ${message}`);
}
