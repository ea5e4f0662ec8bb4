/** Reads an id in a path. Text that cannot be an id counts as 0, which nothing has. */
export function readId(text: string): bigint {
  return /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
}
