/** What clients may notice of a fault. A wrong answer is never excused. */
export interface Excuse {
  /** Which requests may get 503. */
  readonly refuses?: "all" | "creates";
  /** Whether connections may break, or not come about. */
  readonly breaks?: boolean;
  /** By how many milliseconds an answer may be later than the bound. */
  readonly late?: number;
  /** How long the consequences may last after the fault has ended, in milliseconds. */
  readonly heals: number;
}

interface Trouble {
  readonly name: string;
  readonly excuse: Excuse;
  readonly from: number;
  /** When the last consequence must be over; infinite while the fault lasts. */
  until: number;
}

/** The faults of a run, and what they excuse. Times are those of `performance.now()`. */
export class Troubles {
  private readonly all: Trouble[] = [];

  get counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { name } of this.all) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  }

  /** Begins a fault; the function that it returns ends it. */
  begin(name: string, excuse: Excuse): () => void {
    const trouble = { name, excuse, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.all.push(trouble);
    return () => {
      trouble.until = performance.now() + excuse.heals;
    };
  }

  /** The excuses of the faults whose consequences overlap with this time. */
  between(from: number, to: number): Excuse[] {
    return this.all
      .filter((trouble) => trouble.from <= to && trouble.until >= from)
      .map(({ excuse }) => excuse);
  }

  /** How many faults last now. */
  get lasting(): number {
    return this.all.filter(({ until }) => until === Number.POSITIVE_INFINITY).length;
  }

  lately(): string {
    const now = performance.now();
    const names = this.all.filter(({ until }) => until > now - 5000).map(({ name }) => name);
    return names.length > 0 ? ` [around it: ${names.join(", ")}]` : "";
  }
}
