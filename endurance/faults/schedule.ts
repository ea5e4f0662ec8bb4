import { setTimeout as sleep } from "node:timers/promises";
import type { Findings } from "../history/findings.js";
import type { Random } from "../random.js";
import type { Fault } from "./fault.js";
import type { Troubles } from "./troubles.js";

/** Lets faults happen one after the other, with pauses between them. */
export class Schedule {
  private readonly stopping = new AbortController();
  private done: Promise<void> = Promise.resolve();

  constructor(
    private readonly faults: readonly Fault[],
    private readonly troubles: Troubles,
    private readonly findings: Findings,
    private readonly random: Random,
    /** How many seconds pass between two faults on average. */
    private readonly pause: number,
  ) {}

  start(): void {
    if (this.faults.length > 0) this.done = this.run();
  }

  /** Resolves once the last fault is over. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const pause = this.random.pause(1 / this.pause);
      await sleep(pause, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.play(this.random.weighted(this.faults));
    }
  }

  private async play(fault: Fault): Promise<void> {
    const trouble = this.troubles.begin(fault.name, fault.excuse);
    try {
      this.troubles.end(trouble, await fault.play(this.random, this.stopping.signal));
    } catch (error) {
      this.findings.add("process", `${fault.name}: ${(error as Error).message}`);
      await fault
        .mend?.()
        .catch((again) => this.findings.add("process", `again: ${(again as Error).message}`));
      this.troubles.end(trouble, "failed");
    }
  }
}
