import type { Answer, Exchange } from "./client.js";
import type { Findings } from "./findings.js";
import type { Troubles } from "./troubles.js";

/** The longest that an answer may take, in milliseconds: the promised 5 s, and half a second for this process. */
const BOUND = 5500;

/** The methods that change nothing: a fault that refuses creates refuses every other. */
const READS = ["GET", "HEAD", "OPTIONS"];

/** Holds every exchange to the rules that concern it alone, and counts. */
export class Judge {
  readonly statuses = new Map<string, number>();
  /** How long answers took outside of faults, in milliseconds. */
  readonly calmTimes: number[] = [];
  /** Requests outside of faults and within them, and how many of each were answered, with something else than 503. */
  readonly calm = { sent: 0, served: 0 };
  readonly troubled = { sent: 0, served: 0 };
  slowest = 0;

  constructor(
    readonly findings: Findings,
    private readonly troubles: Troubles,
  ) {}

  /** Gives the answer if its status is one of the expected, and otherwise undefined. */
  judge(exchange: Exchange, ...expected: readonly number[]): Answer | undefined {
    const { question, begun, ended, answer, failure } = exchange;
    const what = `${question.method} ${question.path}`;
    const took = ended - begun;
    const excuses = this.troubles.between(begun, ended);
    this.count(exchange, excuses.length === 0);
    if (!answer) {
      if (!excuses.some(({ breaks }) => breaks)) this.findings.add("availability", `${what}: ${failure}`);
      return undefined;
    }
    const late = Math.max(0, ...excuses.map(({ late = 0 }) => late));
    if (took > BOUND + late) this.findings.add("bound", `${what} is answered after ${took.toFixed(0)} ms`);
    if (answer.status >= 400 && question.method !== "HEAD") this.checkError(what, answer);
    if (answer.status === 503) {
      const mayRefuse = excuses.some(
        ({ refuses }) => refuses === "all" || (refuses === "creates" && !READS.includes(question.method)),
      );
      if (!mayRefuse) this.findings.add("availability", `${what} is refused: ${answer.text}`);
      if (!answer.headers["retry-after"]) this.findings.add("answer", `${what}: a 503 without Retry-After`);
      return undefined;
    }
    if (expected.includes(answer.status)) return answer;
    this.findings.add("answer", `${what} is answered ${answer.status}, not ${expected.join(" or ")}`);
    return undefined;
  }

  private count({ answer, begun, ended }: Exchange, isCalm: boolean): void {
    const status = answer ? String(answer.status) : "none";
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const group = isCalm ? this.calm : this.troubled;
    group.sent += 1;
    if (answer && answer.status !== 503) group.served += 1;
    if (answer) this.slowest = Math.max(this.slowest, ended - begun);
    if (isCalm && answer) this.calmTimes.push(ended - begun);
  }

  /** An error's body has three members, and the status is that of the answer. */
  private checkError(what: string, { status, text }: Answer): void {
    try {
      const body = JSON.parse(text);
      const members = Object.keys(body).sort().join();
      if (members === "code,message,status" && body.status === status) return;
    } catch {}
    this.findings.add("answer", `${what}: the body of ${status} is no Error: ${text.slice(0, 200)}`);
  }
}
