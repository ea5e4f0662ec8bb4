import { timeOf } from "../clock.js";
import type { Findings } from "../history/findings.js";
import type { ProcessUsage } from "./processes.js";

/** How far each may rise above its figure at the first calm moment. */
const MORE_FILES = 8;
const MORE_THREADS = 6;

/** Sockets beyond those of the clients: for listening, for the admin port, and for a driver's pool. */
const OWN_SOCKETS = 120;

const MIB = 2 ** 20;

/** The most memory that a process may need, in bytes. */
const MOST_MEMORY = 600 * MIB;

/** How many samples in a row must break a rule. A leak stays. */
const LASTING = 10;

/** How long a process must have lived for its memory to be compared, in milliseconds. */
const LONG_LIFE = 300_000;

interface Life {
  readonly begun: number;
  first: ProcessUsage | undefined;
  last: number;
  readonly memory: number[];
  /** For how many samples in a row each rule has been broken. */
  readonly broken: Map<string, number>;
}

/** Checks whether memory, descriptors and threads of each process stay flat for as long as it lives. */
export class UsageRules {
  private readonly lives = new Map<number, Life>();

  constructor(
    private readonly findings: Findings,
    private readonly connections: () => number,
    /** How long a process warms up, in milliseconds. */
    private readonly warmUp: number,
  ) {}

  /** @param calm whether no fault lasts, and every fault has healed */
  check(usage: ProcessUsage, now: number, calm: boolean): void {
    const life = this.lifeOf(usage.pid, now);
    life.last = now;
    life.memory.push(usage.memory);
    this.judge(
      life,
      "memory",
      usage.memory > MOST_MEMORY,
      () => `process ${usage.pid} has ${mib(usage.memory)}`,
    );
    if (!calm || now - life.begun < this.warmUp) return;
    life.first ??= usage;
    const { files, threads } = life.first;
    const process = `process ${usage.pid} since ${timeOf(life.begun)}`;
    const connections = this.connections();
    this.judge(life, "descriptors", usage.files > files + MORE_FILES, () => {
      return `${process}: from ${files} to ${usage.files} open files and pipes`;
    });
    this.judge(life, "sockets", usage.sockets > connections + OWN_SOCKETS, () => {
      return `${process}: ${usage.sockets} sockets for ${connections} connections of clients`;
    });
    this.judge(life, "threads", usage.threads > threads + MORE_THREADS, () => {
      return `${process}: from ${threads} to ${usage.threads} threads`;
    });
  }

  /** Compares the memory of long lives: the last quarter with the second. */
  finish(): void {
    for (const [pid, life] of this.lives) this.compareMemory(pid, life);
  }

  private lifeOf(pid: number, now: number): Life {
    const known = this.lives.get(pid);
    if (known && now - known.last < 10_000) return known;
    if (known) this.compareMemory(pid, known);
    const life = { begun: now, first: undefined, last: now, memory: [], broken: new Map<string, number>() };
    this.lives.set(pid, life);
    return life;
  }

  private compareMemory(pid: number, life: Life): void {
    if (life.last - life.begun < LONG_LIFE) return;
    const quarter = Math.floor(life.memory.length / 4);
    const early = median(life.memory.slice(quarter, 2 * quarter));
    const late = median(life.memory.slice(3 * quarter));
    if (late > early * 1.25 + 48 * MIB) {
      this.findings.add(
        "memory",
        `process ${pid} since ${timeOf(life.begun)}: from ${mib(early)} to ${mib(late)}`,
      );
    }
  }

  /** Each life is reported once for each rule. */
  private judge(life: Life, rule: keyof typeof RULE_OF, broken: boolean, describe: () => string): void {
    const times = broken ? (life.broken.get(rule) ?? 0) + 1 : 0;
    // A rule that was reported counts no further.
    if ((life.broken.get(rule) ?? 0) >= LASTING) return;
    life.broken.set(rule, times);
    if (times === LASTING) this.findings.add(RULE_OF[rule], describe());
  }
}

const RULE_OF = {
  memory: "memory",
  descriptors: "descriptors",
  sockets: "descriptors",
  threads: "threads",
} as const;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
