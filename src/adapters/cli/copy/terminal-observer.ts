import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { CopyObserver, CopyProgress, Side } from "../../../application/copying/copy-observer.js";
import { durationOf, type ProgressDisplay } from "../progress.js";
import { GO_ON } from "./copy-messages.js";

/** How long to wait for a storage that has answered before, and for one that never has, in milliseconds. */
const PATIENCE = { answered: 600_000, never: 60_000 };

/**
 * The longest pause between two questions to a storage that is away, in milliseconds. The first is shorter.
 */
const LONGEST_PAUSE = 2000;

/** How often to say that a storage is still away, in milliseconds. */
const TELL_INTERVAL = 5000;

const NAMES = { source: "FROM", target: "TO" } as const;

interface Outage {
  readonly began: number;
  told: number;
}

/** Shows the progress of a copy, waits for storages that are away, and ends the copy at a signal. */
export class TerminalObserver implements CopyObserver {
  private readonly outages: Partial<Record<Side, Outage>> = {};
  private readonly ended = new AbortController();

  constructor(private readonly display: ProgressDisplay) {}

  /** Ends every wait, and the copy at its next step. */
  end(reason: Error): void {
    this.ended.abort(reason);
  }

  async progressed({ phase, pets, total }: CopyProgress): Promise<void> {
    this.ended.signal.throwIfAborted();
    this.display.show({ title: phase, done: pets, total, unit: "pets" });
    // With storages that answer at once, signals and the bar would otherwise never get a turn.
    await nextTurn();
  }

  back(side: Side): void {
    const outage = this.outages[side];
    if (!outage) return;
    delete this.outages[side];
    if (outage.told > 0) this.display.note(`${NAMES[side]} answers again.`);
  }

  async away(
    side: Side,
    { attempt, answered, error }: { attempt: number; answered: boolean; error: Error },
  ): Promise<void> {
    this.ended.signal.throwIfAborted();
    const now = performance.now();
    this.outages[side] ??= { began: now, told: 0 };
    const outage = this.outages[side];
    const seconds = (now - outage.began) / 1000;
    if (seconds * 1000 > PATIENCE[answered ? "answered" : "never"]) {
      const since = `${NAMES[side]} cannot be used for ${durationOf(seconds)}: the copy ends here.`;
      throw new Error(`${since} ${GO_ON}`, { cause: error.cause ?? error });
    }
    // The first failure may be a batch that took too long; the copy asks for it again in smaller ones.
    if (attempt > 1 && now - outage.told >= TELL_INTERVAL) {
      outage.told = now;
      this.display.note(
        `${NAMES[side]} is away: it is asked again until it answers (for ${durationOf(seconds)} now).`,
      );
    }
    const pause = Math.min(LONGEST_PAUSE, 100 * 2 ** attempt);
    await sleep(pause, undefined, { signal: this.ended.signal }).catch(() => undefined);
    this.ended.signal.throwIfAborted();
  }
}
