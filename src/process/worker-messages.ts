import type { Readiness } from "../adapters/http/admin.js";
import type { MetricReading } from "../adapters/metrics/metric-types.js";

/** An order of the primary process to a worker. */
export type Order =
  | { readonly order: "alive" }
  | { readonly order: "readiness" }
  | { readonly order: "metrics" }
  | {
      readonly order: "stop";
      /** How long requests in flight may take, in milliseconds. */
      readonly patience: number;
      /** Whether other workers serve on; a primary of an earlier version does not say so. */
      readonly replaced?: boolean;
    };

/** A worker's answer to each order. */
export interface Answers {
  readonly alive: Record<string, never>;
  /** A worker of an earlier version does not say whether it is read-only. */
  readonly readiness: Pick<Readiness, "unready"> & Partial<Readiness>;
  readonly metrics: { readonly metrics: readonly MetricReading[] };
  readonly stop: {
    /** Whether every request in flight was answered. */
    readonly finished: boolean;
    readonly metrics: readonly MetricReading[];
  };
}

/** An order as it is sent. Its answer repeats the id, so that nobody takes a late answer for that to a later order. */
export type SentOrder = Order & { readonly id: number };

export interface SentAnswer {
  readonly answerTo: number;
  readonly answer: Answers[keyof Answers];
}

/** A report that a worker sends by itself, at its start. */
export type Report =
  | { readonly report: "listening"; readonly address: string }
  | {
      readonly report: "failed";
      readonly message: string;
      /** Whether the settings need correcting. */
      readonly settings: boolean;
    };
