import { SingleBar } from "cli-progress";

const LINE_INTERVAL = 3000;

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
  private bar: SingleBar | undefined;
  private title: string | undefined;
  private began = 0;
  private first = 0;
  private lastLine = performance.now();

  /** @param lineInterval the time between two lines if there is no terminal, in milliseconds */
  constructor(
    private readonly terminal = process.stderr.isTTY === true && process.env.TERM !== "dumb",
    private readonly lineInterval = LINE_INTERVAL,
  ) {}

  show(step: Step): void {
    const { done, total, title, unit } = step;
    if (title !== this.title) this.begin(step);
    const speed = this.speedOf(step);
    if (this.terminal) {
      this.bar ??= startBar(step);
      this.bar.setTotal(Math.max(done, total, 1));
      this.bar.update(done, payloadOf(step, speed));
    } else if (performance.now() - this.lastLine >= this.lineInterval) {
      const of = total > done ? ` of about ${total}` : "";
      this.writeLine(`${title}: ${done}${of} ${unit}${speed && `, ${speed}`}`);
    }
  }

  /** Prints a note on a line of its own. The bar comes back below it with the next step. */
  note(text: string): void {
    this.clear();
    this.writeLine(text);
  }

  /** Removes the bar. */
  clear(): void {
    this.bar?.stop();
    this.bar = undefined;
  }

  private begin({ title, done }: Step): void {
    this.clear();
    this.title = title;
    this.first = done;
    this.began = performance.now();
  }

  /** The speed, and the time that is left at this speed; "" while neither is known. */
  private speedOf({ done, total, unit }: Step): string {
    const perSecond = (done - this.first) / ((performance.now() - this.began) / 1000);
    if (!(perSecond > 0) || perSecond === Infinity) return "";
    const left = total > done ? `, about ${durationOf((total - done) / perSecond)} left` : "";
    return `${Math.round(perSecond)} ${unit}/s${left}`;
  }

  private writeLine(text: string): void {
    process.stderr.write(`${text}\n`);
    this.lastLine = performance.now();
  }
}

function startBar(step: Step): SingleBar {
  const bar = new SingleBar({
    format: "{title} {bar} {percentage}%  {of}  {speed}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 16,
    hideCursor: true,
    clearOnComplete: true,
    // A command that a signal ends removes the bar itself.
    gracefulExit: false,
  });
  bar.start(Math.max(step.done, step.total, 1), step.done, payloadOf(step, ""));
  return bar;
}

function payloadOf({ title, done, total, unit }: Step, speed: string): object {
  return { title: title.padEnd(9), of: `${done}/${Math.max(done, total)} ${unit}`, speed };
}

/** A duration as people say it: "8 s", "4 min", "3 h 20 min". */
export function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
