import { stripVTControlCharacters } from "node:util";

/** The option of every command that has a result. */
export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

export interface Output {
  readonly json?: true;
}

/** Ends the command with exit code 1 if one of its streams takes nothing, e.g. on a full disk. */
export function failWithOutput(): void {
  process.stdout.on("error", ({ message }) => {
    complain(`standard output cannot be written: ${message}; correct that, and run the command again.`);
    process.exitCode = 1;
  });
  // There is no place left to say so.
  process.stderr.on("error", () => {
    process.exitCode = 1;
  });
}

/** Prints text of the result on standard output. Resolves to whether that took it. */
export function print(text: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(`${text}\n`, (error) => resolve(!error)));
}

/** Prints one JSON value for scripts, which get nothing else on stdout. */
export function printJson(value: unknown): Promise<boolean> {
  return print(JSON.stringify(value, null, 2));
}

/** Prints rows in columns, each as wide as its widest cell. */
export function printTable(rows: readonly (readonly string[])[]): Promise<boolean> {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] as number) - width(cell)))
      .join("  ")
      .trimEnd(),
  );
  return print(lines.join("\n"));
}

function width(cell = ""): number {
  return stripVTControlCharacters(cell).length;
}

/** Prints on standard error a fault that the operator can correct, or why a command failed. */
export function complain(message: string): void {
  console.error(`petstore: ${message}`);
}
