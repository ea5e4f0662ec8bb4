import { type Clock, timeOf } from "../clock.js";

/** The rules that a run checks. Each name is the sentence that the report shows. */
export const RULES = {
  lost: "nothing that was acknowledged is lost",
  twice: "no create happens twice",
  stale: "no read is older than what was acknowledged before it began",
  shown: "what one read has shown, later reads show as well",
  refused: "what was refused is not stored",
  exact: "every pet is as it was sent",
  key: "every keyed create makes one pet",
  page: "every page is in order, within its bounds, and leads on while there is more",
  described: "every answer is one that the API document describes",
  internal: "no request gets a 500",
  expected: "every answer fits its request",
  answered: "every request gets an answer unless a fault excuses it",
  available: "no request is refused unless a fault excuses it",
  prompt: "every answer comes within its bound",
  access: "added keys count, and revoked ones do not, within 2 s",
  ready: "/livez is 200 while the program runs, and /readyz is 200 without a fault",
  process: "the program starts, stops and ends as it should",
  memory: "memory is flat",
  descriptors: "descriptors are flat",
  threads: "threads are flat",
} as const;

export type Rule = keyof typeof RULES;

export interface Finding {
  readonly rule: Rule;
  /** When it was found, in milliseconds of the run. */
  readonly at: number;
  readonly what: string;
  /** The faults at that time and shortly before, and the processes. */
  readonly around: readonly string[];
  /** The requests that show it. */
  readonly shownBy: readonly string[];
}

/** How many findings are kept in full. */
const KEPT = 20;

/** How long before a finding a fault may have ended that is named with it, in milliseconds: at once, and in the report. */
const JUST_BEFORE = 5000;
const SHORTLY_BEFORE = 30_000;

/** The broken rules of a run. */
export class Findings {
  readonly first: Finding[] = [];
  readonly counts = new Map<Rule, number>();

  /**
   * @param tell gets a line for each finding that is kept
   * @param around the faults that last or have ended within so many milliseconds, and the processes
   */
  constructor(
    private readonly clock: Clock,
    private readonly tell: (line: string) => void,
    private readonly around: (milliseconds: number) => readonly string[],
  ) {}

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  add(rule: Rule, what: string, ...shownBy: readonly string[]): void {
    const at = this.clock.now();
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1);
    if (this.first.length >= KEPT) return;
    this.first.push({ rule, at, what, around: this.around(SHORTLY_BEFORE), shownBy });
    this.tell(`BROKEN at ${timeOf(at)}: ${RULES[rule]}: ${what} [${this.around(JUST_BEFORE).join("; ")}]`);
  }
}
