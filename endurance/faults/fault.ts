import type { Random } from "../random.js";
import type { Excuse } from "./troubles.js";

/** Something bad that happens now and then. */
export interface Fault {
  readonly name: string;
  /** How often the fault happens, compared with the others. */
  readonly weight: number;
  /** The consequences that the fault may have while it lasts. */
  readonly excuse: Excuse;
  /**
   * Begins the fault, and ends it. Resolves with its details, for people.
   *
   * @param stopping ends a fault that lasts for minutes once the run is to end
   * @throws Error that says which rule of the process does not hold
   */
  play(random: Random, stopping: AbortSignal): Promise<string>;
  /** Repairs the service after `play` has failed, so that the run can go on. */
  mend?(): Promise<void>;
}

/** How long something lasts: from one to `most` seconds, mostly short. */
export function someSeconds(random: Random, most: number): number {
  return Math.round(1000 + (most - 1) * 1000 * random.next() ** 2);
}

export function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
