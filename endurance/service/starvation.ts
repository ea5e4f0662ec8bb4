import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../clock.js";

/** How often it looks, in milliseconds. */
const INTERVAL = 200;

/** How long samples are kept, in milliseconds: longer than any request takes. */
const KEPT = 90_000;

/** For how long a starved database or neighbour still affects later requests, in milliseconds. */
const BEFORE = 10_000;

/** The machine is short of cores if processes wait for one during more than this share of the time. */
const SHORT = 0.25;

/**
 * How long processes waited for a core of the machine while they could have worked. The kernel counts it for each thread
 * (/proc/PID/task/TID/schedstat). A bound in seconds means nothing for a process that may not run.
 */
export class Starvation {
  private readonly samples: { readonly at: number; readonly waited: number }[] = [];
  private readonly known = new Map<string, number>();
  private waited = 0;
  /** How many findings it excused: requests that were late or refused, and the like. */
  excused = 0;
  private readonly timer = setInterval(() => this.look(), INTERVAL);

  constructor(
    private readonly clock: Clock,
    private readonly pids: () => readonly number[],
  ) {}

  /** Milliseconds for which the service, or this process, waited for a core between two times of the run. */
  between(from: number, to: number): number {
    this.look();
    return (
      (this.samples.find(({ at }) => at >= to) ?? this.samples.at(-1) ?? NOTHING).waited - this.before(from)
    );
  }

  /**
   * Whether the machine was so short of cores, then or shortly before, that any time-out may have struck. Counts how
   * often it was.
   */
  excuses(from: number, to: number): boolean {
    const start = from - BEFORE;
    const short = this.between(start, to) > SHORT * (to - start);
    if (short) this.excused += 1;
    return short;
  }

  /** The whole wait so far, in milliseconds. */
  get total(): number {
    return this.waited;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private before(time: number): number {
    return (this.samples.findLast(({ at }) => at <= time) ?? this.samples[0] ?? NOTHING).waited;
  }

  private look(): void {
    const at = this.clock.now();
    const last = this.samples.at(-1);
    if (last && at - last.at < INTERVAL / 2) return;
    const grown = [process.pid, ...this.pids()].map((pid) => this.mostOf(pid));
    // The worst of them: a request waits for one process at a time, and for several in turn only now and then.
    this.waited += Math.max(0, ...grown);
    this.samples.push({ at, waited: this.waited });
    while ((this.samples[0]?.at ?? at) < at - KEPT) this.samples.shift();
  }

  /** The growth since the last look of the wait of the thread that waited most, in milliseconds. */
  private mostOf(pid: number): number {
    let most = 0;
    for (const thread of threadsOf(pid)) {
      const waited = waitOf(`/proc/${pid}/task/${thread}/schedstat`);
      const before = this.known.get(thread);
      this.known.set(thread, waited);
      if (before !== undefined) most = Math.max(most, waited - before);
    }
    return most;
  }
}

const NOTHING = { waited: 0 };

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The wait of a thread in its whole life, in milliseconds. */
function waitOf(path: string): number {
  try {
    return Number(readFileSync(path, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
