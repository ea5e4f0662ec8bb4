/** The option of every command with a result. */
export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

export type Output = { readonly json?: true };

/** Prints a result; `console` prints to standard error here. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints rows in columns, each as wide as its widest cell. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  print(lines.map((line) => line.trimEnd()).join("\n"));
}

export function warn(message: string): void {
  console.error(`petstore: ${message}`);
}
