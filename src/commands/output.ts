export type Output = { readonly json?: true };

// Without a listener a closed pipe would end the process; `print` reports the error.
process.stdout.on("error", () => undefined);

/**
 * Prints a result to standard output; in commands `console` prints to standard error. Resolves once it is
 * written, since `process.exit` drops unwritten bytes. A reader may leave early, as `head` does.
 *
 * @throws Error if the output is lost
 */
export async function print(text: string): Promise<void> {
  const cause = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve);
  });
  if (cause && cause.code !== "EPIPE") throw new Error("The output cannot be written.", { cause });
}

export function printJson(value: unknown): Promise<void> {
  return print(JSON.stringify(value, null, 2));
}

/** Prints rows in columns, each as wide as its widest cell. */
export function printTable(rows: readonly (readonly string[])[]): Promise<void> {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return print(lines.map((line) => line.trimEnd()).join("\n"));
}

export function warn(message: string): void {
  console.error(`petstore: ${message}`);
}
