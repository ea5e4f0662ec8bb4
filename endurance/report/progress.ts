import { type Clock, timeOf } from "../clock.js";
import type { Parts } from "../parts.js";

/** How often a line is printed if standard error is no terminal, in milliseconds. */
const LINES = 10_000;

/** Shows on one line of standard error how a run goes on. */
export class Progress {
  private readonly terminal = process.stderr.isTTY === true;
  private timer: NodeJS.Timeout | undefined;
  private shown = false;

  constructor(
    private readonly clock: Clock,
    private readonly quiet = false,
  ) {}

  start({ timeline, history, troubles, findings }: Parts): void {
    if (this.quiet) return;
    let before = 0;
    const interval = this.terminal ? 1000 : LINES;
    this.timer = setInterval(() => {
      const rate = Math.round(((timeline.requests - before) * 1000) / interval);
      before = timeline.requests;
      const now = troubles.all
        .filter(({ over }) => over === Number.POSITIVE_INFINITY)
        .map(({ name }) => name);
      this.show(
        `${timeOf(this.clock.now())}: ${rate} requests/s, ${history.turn} pets, ` +
          `${troubles.all.length} faults, ${findings.total} broken${now.length > 0 ? ` (${now.join(", ")})` : ""}`,
      );
    }, interval);
  }

  /** Prints a line that stays. */
  note(line: string): void {
    if (this.quiet) return;
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  stop(): void {
    clearInterval(this.timer);
    this.clear();
  }

  private show(line: string): void {
    this.clear();
    process.stderr.write(this.terminal ? line.slice(0, process.stderr.columns - 1) : `${line}\n`);
    this.shown = this.terminal;
  }

  private clear(): void {
    if (this.shown) process.stderr.write("\r\x1b[K");
    this.shown = false;
  }
}
