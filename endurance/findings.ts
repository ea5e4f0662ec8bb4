/** The rules that a run checks; nothing excuses the first group. */
export const RULES = {
  lost: "every acknowledged pet is there, in every later read",
  doubled: "one create makes one pet, however often the client repeats it",
  changed: "a pet reads as it was sent, byte for byte",
  page: "a page is in order, fits its filter, and is not longer than its limit",
  answer: "a request gets the answer that the contract has for it, and no 500",
  availability: "outside of faults every request is answered",
  bound: "every answer comes within the bound",
  recovery: "the service starts, stops and recovers within its time",
  resources: "memory, descriptors and threads of each process stay within their bounds",
} as const;

export type Rule = keyof typeof RULES;

/** How many findings of each rule to show in full. */
const SHOWN = 4;

/** The rules that the service broke. */
export class Findings {
  readonly counts = new Map<Rule, number>();
  readonly first: string[] = [];

  constructor(
    /** What happens at the moment, for people. */
    private readonly around: () => string,
    private readonly tell: (finding: string) => void,
  ) {}

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  add(rule: Rule, what: string): void {
    const count = (this.counts.get(rule) ?? 0) + 1;
    this.counts.set(rule, count);
    if (count > SHOWN) return;
    const finding = `${rule}: ${what}${this.around()}`;
    this.first.push(finding);
    this.tell(finding);
  }
}
