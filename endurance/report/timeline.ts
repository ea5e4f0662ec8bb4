import type { Clock } from "../clock.js";

export const CLASSES = ["2xx", "4xx", "503", "other 5xx", "no answer"] as const;

export type AnswerClass = (typeof CLASSES)[number];

/** The answers in one stretch of time. */
export interface Stretch {
  /** Its beginning, in milliseconds of the run. */
  readonly from: number;
  readonly answers: Record<AnswerClass, number>;
  /** The time that 99 of 100 answers took at most, in milliseconds. */
  p99: number;
  /** Of all processes of the service: memory in bytes, open descriptors, threads. */
  memory: number;
  descriptors: number;
  threads: number;
}

/** How long a stretch is, in milliseconds. */
export const STRETCH = 5000;

/** The course of a run, for the picture and the tables of its report. */
export class Timeline {
  readonly stretches: Stretch[] = [];
  readonly statuses = new Map<string, number>();
  private times: number[] = [];

  constructor(private readonly clock: Clock) {}

  count(status: number | undefined, took: number): void {
    const { answers } = this.current();
    answers[classOf(status)] += 1;
    const name = status === undefined ? "none" : `${status}`;
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    if (status !== undefined) this.times.push(took);
  }

  sample(usage: { memory: number; descriptors: number; threads: number }): void {
    const stretch = this.current();
    stretch.memory = Math.max(stretch.memory, usage.memory);
    stretch.descriptors = Math.max(stretch.descriptors, usage.descriptors);
    stretch.threads = Math.max(stretch.threads, usage.threads);
  }

  get requests(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  private current(): Stretch {
    const from = Math.floor(this.clock.now() / STRETCH) * STRETCH;
    const last = this.stretches.at(-1);
    if (last?.from === from) return last;
    if (last) last.p99 = percentile(this.times, 0.99);
    this.times = [];
    const answers = { "2xx": 0, "4xx": 0, "503": 0, "other 5xx": 0, "no answer": 0 };
    const stretch = { from, answers, p99: 0, memory: 0, descriptors: 0, threads: 0 };
    this.stretches.push(stretch);
    return stretch;
  }
}

function classOf(status: number | undefined): AnswerClass {
  if (status === undefined) return "no answer";
  if (status < 400) return "2xx";
  if (status < 500) return "4xx";
  return status === 503 ? "503" : "other 5xx";
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
