import { setTimeout as sleep } from "node:timers/promises";
import { SlowDisk } from "../../test/support/slow-disk.js";
import { type Fault, inSeconds, someSeconds } from "./fault.js";
import type { Excuse } from "./troubles.js";

/** A disk that can be slow, stand still, or be full, for the processes that are started with its `env`. */
export class FaultyDisk extends SlowDisk {
  /** The disk of a storage that is a file; undefined for others, and without a compiler. */
  static under(storage: string, folder: string): FaultyDisk | undefined {
    if (!/^sqlite:/.test(storage)) return undefined;
    try {
      return new FaultyDisk(folder);
    } catch {
      console.error("No compiler (cc), so the disk neither stalls nor fills up in this run.");
      return undefined;
    }
  }
}

/** The faults of a disk. Reads go on. */
export function diskFaults(disk: FaultyDisk): Fault[] {
  const lasting = (name: string, most: number, begin: () => void, more: Partial<Excuse> = {}): Fault => ({
    name,
    weight: 2,
    excuse: { refusals: "creates", heals: 3000, ...more },
    async play(random) {
      const lasts = someSeconds(random, most);
      begin();
      await sleep(lasts);
      disk.heal();
      return `for ${inSeconds(lasts)}`;
    },
  });
  return [
    lasting("a disk that stands still", 12, () => disk.standStill(), { stalls: true }),
    lasting("a slow disk", 10, () => disk.slow(300)),
    lasting("a full disk", 10, () => disk.fill(), { blocksStart: true }),
  ];
}
