/** The option of every command with a result. */
export const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

export type Output = { readonly json?: true };

const writes: Promise<NodeJS.ErrnoException | null | undefined>[] = [];

/** Prints a result; `console` prints to standard error here. */
export function print(text: string): void {
  // Otherwise an error would end the process; `flushed` reports it.
  if (writes.length === 0) process.stdout.on("error", () => undefined);
  writes.push(new Promise((resolve) => process.stdout.write(`${text}\n`, resolve)));
}

/**
 * Resolves once everything printed is written, since `process.exit` drops what a pipe has not taken yet. It is no failure
 * if the reader has left, as `head` does. @throws Error if the output is lost
 */
export async function flushed(): Promise<void> {
  const [cause] = (await Promise.all(writes)).filter((error) => error && error.code !== "EPIPE");
  if (cause) throw new Error("The output cannot be written.", { cause });
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
