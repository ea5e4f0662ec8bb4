import { expectDescribed } from "../../test/support/described.js";
import type { Troubles } from "../faults/troubles.js";
import { type Answer, describeExchange, type Exchange } from "../history/exchange.js";
import type { Findings } from "../history/findings.js";
import type { Timeline } from "../report/timeline.js";
import type { Starvation } from "../service/starvation.js";

/** The longest that an answer may take, and what a loaded machine may add, in milliseconds. */
const BOUND = 5000;
const SLACK = 2500;

/** Holds every exchange to the rules that concern it alone. */
export class Judge {
  constructor(
    readonly findings: Findings,
    readonly troubles: Troubles,
    private readonly timeline: Timeline,
    readonly starvation: Starvation,
  ) {}

  /**
   * Gives the answer if its status is expected, and otherwise undefined. Adds a finding for each broken rule that no fault
   * excuses.
   *
   * @param expected the statuses that fit the request
   */
  judge(exchange: Exchange, expected: readonly number[]): Answer | undefined {
    const { method, path, begun, took, lost, answer, failure } = exchange;
    const shown = describeExchange(exchange);
    this.timeline.count(answer?.status, took);
    const excused = this.troubles.between(begun, begun + took);
    const starved = () => this.starvation.excuses(begun, begun + took);
    if (!answer) {
      if (!excused.breaks && !starved())
        this.findings.add("answered", `${method} ${path}: ${failure}`, shown);
      return undefined;
    }
    const { status } = answer;
    const allowed = BOUND + SLACK + lost + excused.delay;
    if (took > allowed && took > allowed + this.starvation.between(begun, begun + took) && !starved()) {
      this.findings.add("prompt", `${method} ${path} is answered after ${took.toFixed(0)} ms`, shown);
    }
    if (!this.isDescribed(exchange, answer, shown)) return undefined;
    if (status === 500) {
      this.findings.add("internal", `${method} ${path}`, shown);
      return undefined;
    }
    if (status === 503) {
      if (!(method === "POST" ? excused.creates : excused.all) && !starved()) {
        this.findings.add("available", `${method} ${path} is refused: ${answer.text}`, shown);
      }
      return undefined;
    }
    if (expected.includes(status)) return answer;
    if (status === 408) {
      // The network, or this process, held up the rest of the request.
      if (!excused.breaks && excused.delay === 0 && !starved()) {
        this.findings.add("available", `${method} ${path} is refused: ${answer.text}`, shown);
      }
      return undefined;
    }
    this.findings.add(
      "expected",
      `${method} ${path} is answered ${status}, not ${expected.join(" or ")}`,
      shown,
    );
    return undefined;
  }

  private isDescribed({ method, path }: Exchange, answer: Answer, shown: string): boolean {
    try {
      expectDescribed(method, path, answer);
      return true;
    } catch (undescribed) {
      this.findings.add("described", `${(undescribed as Error).message}`, shown);
      return false;
    }
  }
}
