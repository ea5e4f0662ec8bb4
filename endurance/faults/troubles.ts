import { type Clock, timeOf } from "../clock.js";

/** The consequences that a fault may have for requests. It may have no others. */
export interface Excuse {
  /** Connections may break, and may be refused. */
  readonly breaks?: boolean;
  /** Which requests may get 503. */
  readonly refusals?: "creates" | "all";
  /** How much later answers may come, in milliseconds. */
  readonly delay?: number;
  /** The program may be down, so that the admin port does not answer either. */
  readonly down?: boolean;
  /** Writes to the disk or to the log stand still. */
  readonly stalls?: boolean;
  /** The program cannot start; a service manager tries again and again. */
  readonly blocksStart?: boolean;
  /** How long the service may take to heal once the fault is over, in milliseconds. */
  readonly heals: number;
}

/** A fault that was played. */
export interface Trouble {
  readonly name: string;
  readonly excuse: Excuse;
  readonly begun: number;
  /** When the fault was over; infinite while it lasts. */
  over: number;
  /** The details of the fault, for people. */
  detail: string;
}

const NONE = { breaks: false, creates: false, all: false, delay: 0, down: false, calm: true };

export type Excused = { -readonly [Name in keyof typeof NONE]: (typeof NONE)[Name] };

/** How long to remember a trouble that is over, for requests that began during it, in milliseconds. */
const KEPT = 120_000;

/** The faults so far, and what they excuse. */
export class Troubles {
  readonly all: Trouble[] = [];
  private recent: Trouble[] = [];

  constructor(private readonly clock: Clock) {}

  begin(name: string, excuse: Excuse): Trouble {
    const begun = this.clock.now();
    const trouble = { name, excuse, begun, over: Number.POSITIVE_INFINITY, detail: "" };
    this.all.push(trouble);
    this.recent = this.recent.filter(({ over }) => over > begun - KEPT);
    this.recent.push(trouble);
    return trouble;
  }

  end(trouble: Trouble, detail = ""): void {
    trouble.over = this.clock.now();
    trouble.detail = detail;
  }

  /** Whether a fault of this kind lasts, or has not healed yet. */
  has(kind: "stalls" | "blocksStart"): boolean {
    return this.recent.some(({ excuse, over }) => excuse[kind] && over + excuse.heals > this.clock.now());
  }

  /** The faults that last, or were over less than so many milliseconds ago, each with its times and details. */
  lately(milliseconds: number): string[] {
    const now = this.clock.now();
    return this.recent
      .filter(({ over }) => over > now - milliseconds)
      .map(({ name, begun, over, detail }) => {
        const until = over === Number.POSITIVE_INFINITY ? "now" : timeOf(over);
        return `${name} (${timeOf(begun)} to ${until}${detail && `, ${detail}`})`;
      });
  }

  /** Whether no fault lasts, and every fault has healed. */
  get calm(): boolean {
    const now = this.clock.now();
    return this.between(now, now).calm;
  }

  /** All excuses of the faults that lasted, or had not healed, at any moment between the two times. */
  between(from: number, to: number): Excused {
    const excused: Excused = { ...NONE };
    for (const { excuse, begun, over } of this.recent) {
      if (begun > to || over + excuse.heals < from) continue;
      excused.breaks ||= excuse.breaks ?? false;
      excused.creates ||= excuse.refusals !== undefined;
      excused.all ||= excuse.refusals === "all";
      excused.delay += excuse.delay ?? 0;
      excused.down ||= excuse.down ?? false;
      // During a fault that no client may notice, everything is calm.
      if (excuse.breaks || excuse.refusals || excuse.down) excused.calm = false;
    }
    return excused;
  }
}
