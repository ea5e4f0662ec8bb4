export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The value below which this share of `ascending` lies; interpolated between two neighbours. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const position = (ascending.length - 1) * share;
  const below = ascending[Math.floor(position)] ?? Number.NaN;
  const above = ascending[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** The ratio of two series, round by round. */
export interface Ratio {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function ratio(of: readonly number[], to: readonly number[]): Ratio {
  const rounds = of.map((value, round) => value / (to[round] as number));
  return { median: median(rounds), min: Math.min(...rounds), max: Math.max(...rounds) };
}
