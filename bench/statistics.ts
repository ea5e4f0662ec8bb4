export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of the values lies; interpolated between two neighbours. */
function quantile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((a, b) => a - b);
  const position = (ascending.length - 1) * share;
  const below = ascending[Math.floor(position)] ?? Number.NaN;
  const above = ascending[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Divides two series that were measured in turns, pair by pair. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, turn) => value / (to[turn] as number));
}
