import type { Findings } from "./findings.js";
import type { Service, Usage } from "./service.js";

/** How often it looks, and how often it scrapes `/metrics`, in milliseconds. */
const INTERVAL = 5000;
const SCRAPES = 1000;

/** The most that a process may have: MiB of memory, and threads. */
const MEMORY = 300;
const THREADS = 40;

/** Descriptors beyond those of the clients' connections: files, the log, epoll, the pool of a driver. */
const OWN_DESCRIPTORS = 180;

/** How many looks in a row must break a bound: a leak stays. */
const LASTING = 3;

/** How many looks a process must have lived for its memory to be compared: ten minutes. */
const LONG = 120;

/** Looks at the resources of each process, and holds them to their bounds. */
export class Watch {
  private readonly memory = new Map<number, number[]>();
  private readonly broken = new Map<string, number>();
  private readonly timer = setInterval(() => this.look(), INTERVAL);
  private readonly scrapes = setInterval(() => this.scrape(), SCRAPES);
  readonly most = { memory: 0, descriptors: 0, threads: 0 };

  constructor(
    private readonly service: Service,
    private readonly findings: Findings,
    /** The connections that clients have open now. */
    private readonly connections: () => number,
  ) {}

  stop(): void {
    clearInterval(this.timer);
    clearInterval(this.scrapes);
    for (const [pid, looks] of this.memory) this.compare(pid, looks);
    this.memory.clear();
  }

  private look(): void {
    const usage = this.service.usage();
    if (usage) this.check(usage);
  }

  /** No answer is the business of the faults; a wrong one is a finding. */
  private async scrape(): Promise<void> {
    const status = (await this.service.ask("/metrics")) ?? 200;
    if (status !== 200) this.findings.add("answer", `/metrics answers ${status}`);
  }

  private check({ pid, memory, descriptors, threads }: Usage): void {
    // It has just ended.
    if (Number.isNaN(memory)) return;
    this.memory.set(pid, [...(this.memory.get(pid) ?? []), memory]);
    this.hold(`memory of process ${pid} in MiB`, memory, MEMORY);
    this.hold(`descriptors of process ${pid}`, descriptors, OWN_DESCRIPTORS + this.connections());
    this.hold(`threads of process ${pid}`, threads, THREADS);
    this.most.memory = Math.max(this.most.memory, memory);
    this.most.descriptors = Math.max(this.most.descriptors, descriptors);
    this.most.threads = Math.max(this.most.threads, threads);
  }

  private hold(what: string, value: number, bound: number): void {
    const times = value > bound ? (this.broken.get(what) ?? 0) + 1 : 0;
    this.broken.set(what, times);
    if (times === LASTING) this.findings.add("resources", `${what}: ${value.toFixed(0)}, more than ${bound}`);
  }

  /** The memory of a long life must not grow: its last quarter beside its second. */
  private compare(pid: number, looks: readonly number[]): void {
    if (looks.length < LONG) return;
    const quarter = looks.length >> 2;
    const mean = (from: number) =>
      looks.slice(from, from + quarter).reduce((sum, value) => sum + value, 0) / quarter;
    const [second, last] = [mean(quarter), mean(3 * quarter)];
    if (last > 1.3 * second) {
      this.findings.add(
        "resources",
        `memory of process ${pid} grew from ${second.toFixed(0)} to ${last.toFixed(0)} MiB`,
      );
    }
  }
}
