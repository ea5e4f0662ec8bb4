/** The options of a run. */
export interface RunOptions {
  /** How long load and faults go on, in milliseconds. */
  readonly duration: number;
  /** How many requests to generate, or how many kills to make. */
  readonly count: number;
  readonly seed: number;
  /** A URL as PETSTORE_STORAGE takes it; a relative path is in a new folder. */
  readonly storage: string;
  readonly workers: number;
  /** Requests per second. */
  readonly rate: number;
  /** How many seconds pass between two faults of one kind on average. */
  readonly pause: number;
  /** Commands that take the database away and bring it back. */
  readonly down?: string | undefined;
  readonly up?: string | undefined;
  /** The path of the report, without an ending; if undefined, the run writes none. */
  readonly report?: string | undefined;
  /** Only faults with one of these words in their names. */
  readonly only?: readonly string[] | undefined;
  /** How long a process warms up before it must stay flat, in milliseconds. */
  readonly warmUp: number;
  /** Whether to print nothing. */
  readonly quiet?: boolean;
  /** More environment variables for the service. */
  readonly env?: Readonly<Record<string, string>>;
}

export const DEFAULTS: RunOptions = {
  duration: 300_000,
  count: 0,
  seed: Date.now() % 2 ** 31,
  storage: "sqlite:pets.db",
  workers: 1,
  rate: 100,
  pause: 20,
  // A new process loads its lazy parts, and V8 compiles what the load uses.
  warmUp: 20_000,
};

/** A duration like `90s`, `5m` or `24h`, in milliseconds. */
export function durationOf(text: string): number {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`must be a number with s, m or h, e.g. 90s, 5m or 24h`);
  return Number(count) * { s: 1000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
}
