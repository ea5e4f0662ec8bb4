import { SingleBar } from "cli-progress";

/** The progress of one part of some long work. */
interface Step {
  /** The name of the part, e.g. "copying". */
  readonly title: string;
  readonly done: number;
  /** About how many there are; less than `done` if the estimate was too low. */
  readonly total: number;
  /** The things that are counted, in the plural. */
  readonly unit: string;
}

/**
 * Shows the progress of some work on standard error: on a terminal as a bar, which goes away at the end;
 * otherwise as a line every few seconds. The work must leave the event loop free now and then.
 */
export class ProgressDisplay {
  private readonly bar = new SingleBar({
    format: "{title} {bar} {percentage}%  {done}/{total} {unit}  {speed}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 16,
    hideCursor: true,
    clearOnComplete: true,
    // A command that a signal ends removes the bar itself.
    gracefulExit: false,
  });
  private first: (Step & { readonly at: number }) | undefined;
  private lastLine = performance.now();

  /** @param lineInterval the time between two lines if there is no terminal, in milliseconds */
  constructor(
    private readonly terminal = process.stderr.isTTY === true && process.env.TERM !== "dumb",
    private readonly lineInterval = 3000,
  ) {}

  show(step: Step): void {
    const { title, done, unit } = step;
    const now = performance.now();
    const total = Math.max(step.total, done, 1);
    const begins = title !== this.first?.title;
    if (begins) {
      this.clear();
      this.first = { ...step, at: now };
    }
    const speed = this.speedOf(step, now);
    if (this.terminal) {
      const payload = { title: title.padEnd(9), done, unit, speed };
      if (begins) this.bar.start(total, done, payload);
      this.bar.setTotal(total);
      this.bar.update(done, payload);
    } else if (now - this.lastLine >= this.lineInterval) {
      const of = total > done ? ` of about ${total}` : "";
      console.error(`${title}: ${done}${of} ${unit}${speed && `, ${speed}`}`);
      this.lastLine = now;
    }
  }

  /** Removes the bar. It comes back with the next step. */
  clear(): void {
    this.bar.stop();
    this.first = undefined;
  }

  /** The speed, and the time that is left at this speed; "" while neither is known. */
  private speedOf({ done, total, unit }: Step, now: number): string {
    const { done: first = 0, at = now } = this.first ?? {};
    const perSecond = (1000 * (done - first)) / (now - at);
    if (!(perSecond > 0) || perSecond === Infinity) return "";
    const seconds = Math.ceil((total - done) / perSecond);
    const left = seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
    return `${Math.round(perSecond)} ${unit}/s${seconds > 0 ? `, about ${left} left` : ""}`;
  }
}
