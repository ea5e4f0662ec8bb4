import type { KeyRing } from "../clients/key-ring.js";
import type { Clock } from "../clock.js";
import type { Findings } from "../history/findings.js";
import type { Random } from "../random.js";
import type { Service } from "../service/service.js";
import type { ClientProxy } from "./client-proxy.js";
import type { Excuse, Troubles } from "./troubles.js";

/** What faults act upon. */
export interface Stage {
  readonly clock: Clock;
  readonly service: Service;
  readonly network: ClientProxy;
  readonly keys: KeyRing;
  readonly troubles: Troubles;
  readonly findings: Findings;
}

/** Something bad that happens now and then. */
export interface Fault {
  readonly name: string;
  /** How often it happens beside others. */
  readonly weight: number;
  /** What it excuses while it lasts. */
  readonly excuse: Excuse;
  /**
   * Lets it happen, and be over. Resolves with what was done in detail.
   *
   * @param stopping ends what lasts for minutes once the run is to end
   * @throws Error that says which rule of the process does not hold
   */
  play(random: Random, stopping: AbortSignal): Promise<string>;
  /** Lets the run go on if `play` has failed. */
  mend?(): Promise<void>;
}

/** How long something lasts: from one to `most` seconds, mostly short. */
export function someSeconds(random: Random, most: number): number {
  return Math.round(1000 + (most - 1) * 1000 * random.next() ** 2);
}

export function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
