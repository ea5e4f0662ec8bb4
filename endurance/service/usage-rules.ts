import { timeOf } from "../clock.js";
import type { Findings } from "../history/findings.js";
import type { ProcessUsage } from "./processes.js";

/** How long a process warms up, in milliseconds: it loads its lazy parts, and V8 gets to know the load. */
const WARM_UP = 20_000;

/** How far above its first calm figure each may be later. */
const MORE_FILES = 8;
const MORE_THREADS = 6;

/** Sockets beyond those of the clients: what listens, what asks the admin port, and a driver's pool. */
const OWN_SOCKETS = 120;

const MIB = 2 ** 20;

/** No process needs more, in bytes. */
const MOST_MEMORY = 600 * MIB;

/** How long a process must have lived for its memory to be compared, in milliseconds. */
const LONG_LIFE = 300_000;

interface Life {
  readonly begun: number;
  first: ProcessUsage | undefined;
  last: number;
  readonly memory: number[];
  readonly told: Set<string>;
}

/** Whether memory, descriptors and threads of each process stay flat for as long as it lives. */
export class UsageRules {
  private readonly lives = new Map<number, Life>();

  constructor(
    private readonly findings: Findings,
    private readonly connections: () => number,
  ) {}

  /** @param calm whether no fault is under way, nor has to heal */
  check(usage: ProcessUsage, now: number, calm: boolean): void {
    const life = this.lifeOf(usage.pid, now);
    life.last = now;
    life.memory.push(usage.memory);
    if (usage.memory > MOST_MEMORY) {
      this.tell(life, "memory", `process ${usage.pid} has ${mib(usage.memory)}`);
    }
    if (!calm || now - life.begun < WARM_UP) return;
    life.first ??= usage;
    const { first } = life;
    const since = `since ${timeOf(life.begun)}`;
    if (usage.files > first.files + MORE_FILES) {
      const grown = `from ${first.files} to ${usage.files}`;
      this.tell(life, "descriptors", `process ${usage.pid} has grown ${grown} open files and pipes ${since}`);
    }
    const connections = this.connections();
    if (usage.sockets > connections + OWN_SOCKETS) {
      this.tell(
        life,
        "descriptors",
        `process ${usage.pid} has ${usage.sockets} sockets, clients ${connections}`,
      );
    }
    if (usage.threads > first.threads + MORE_THREADS) {
      this.tell(
        life,
        "threads",
        `process ${usage.pid} went from ${first.threads} to ${usage.threads} ${since}`,
      );
    }
  }

  /** Compares the memory of long lives: the last quarter with the second. */
  finish(): void {
    for (const [pid, life] of this.lives) this.compareMemory(pid, life);
  }

  private lifeOf(pid: number, now: number): Life {
    const known = this.lives.get(pid);
    if (known && now - known.last < 10_000) return known;
    if (known) this.compareMemory(pid, known);
    const life = { begun: now, first: undefined, last: now, memory: [], told: new Set<string>() };
    this.lives.set(pid, life);
    return life;
  }

  private compareMemory(pid: number, life: Life): void {
    if (life.last - life.begun < LONG_LIFE) return;
    const quarter = Math.floor(life.memory.length / 4);
    const early = median(life.memory.slice(quarter, 2 * quarter));
    const late = median(life.memory.slice(3 * quarter));
    if (late > early * 1.25 + 48 * MIB) {
      this.tell(
        life,
        "memory",
        `process ${pid} went from ${mib(early)} to ${mib(late)} since ${timeOf(life.begun)}`,
      );
    }
  }

  /** Each life is reported once for each rule. */
  private tell(life: Life, rule: "memory" | "descriptors" | "threads", what: string): void {
    if (life.told.has(rule)) return;
    life.told.add(rule);
    this.findings.add(rule, what);
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
