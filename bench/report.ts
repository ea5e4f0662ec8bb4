export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The median over the rounds of the ratio of two servers. */
export function ratio(ours: readonly number[] = [], others: readonly number[] = []): number {
  return median(ours.map((one, round) => one / (others[round] ?? Number.NaN)));
}

export function table(header: string, rows: readonly (readonly string[])[]): string {
  const columns = header.split(" | ").map((_, column) => (column === 0 ? "---" : "---:"));
  return [header, columns.join(" | "), ...rows.map((row) => row.join(" | "))]
    .map((line) => `| ${line} |`)
    .join("\n");
}
