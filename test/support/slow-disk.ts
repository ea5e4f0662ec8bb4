import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The source of the library, named in its own folder, since tsc does not copy it. */
const SOURCE = fileURLToPath(new URL("../../../test/support/slow-disk.c", import.meta.url));

/** A disk that stands still, is full or fails to sync, or whose power is cut, for the programs that are started with `env`. Needs Linux with `cc`. */
export class SlowDisk {
  readonly env: Readonly<Record<string, string>>;
  /** Gets a copy of each file as it was at its last fsync: what a power cut leaves in the worst case. */
  readonly synced: string;
  private readonly control: string;

  /** @param folder where the library and its control file go */
  constructor(folder: string) {
    const library = join(folder, "slow-disk.so");
    this.control = join(folder, "slow-disk");
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"]);
    this.synced = join(folder, "synced");
    mkdirSync(this.synced);
    this.env = { LD_PRELOAD: library, SLOW_DISK: this.control };
    this.heal();
  }

  /** No fsync ends until the disk is healed. */
  standStill(): void {
    this.behave(-1);
  }

  /** Nothing can be written until the disk is healed. */
  fill(): void {
    this.behave(-2);
  }

  /** Each fsync fails until the disk is healed. */
  failToSync(): void {
    this.behave(-3);
  }

  /** No read of SQLite ends until the disk is healed. */
  hangReads(): void {
    this.behave(-4);
  }

  heal(): void {
    this.behave(0);
  }

  /** @param how the number that the library reads */
  private behave(how: number): void {
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${this.control}.new`, String(how));
    renameSync(`${this.control}.new`, this.control);
  }
}
