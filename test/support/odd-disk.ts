import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What can be wrong with a disk, as `odd-disk.c` takes it. */
const FAULTS = { hangs: "h", fails: "f", noFolderSync: "s", noLocks: "l", noMapping: "m", noLinks: "n" };

/** A disk unlike most, for the programs that are started with `env`. Needs Linux with `cc`. */
export class OddDisk {
  readonly env: Readonly<Record<string, string>>;
  /** Has a copy of each file as of its last fsync: what a power cut leaves in the worst case. */
  readonly synced: string;
  private readonly control: string;

  /** @param folder for the library, its control file and the copies */
  constructor(folder: string, ...faults: (keyof typeof FAULTS)[]) {
    const library = join(folder, "odd-disk.so");
    // tsc does not copy it.
    const source = join(import.meta.dirname, "../../../test/support/odd-disk.c");
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
    this.control = join(folder, "odd-disk");
    this.synced = join(folder, "synced");
    mkdirSync(this.synced);
    this.env = { LD_PRELOAD: library, DISK: this.control, SYNCED_FILES: this.synced };
    this.behave(...faults);
  }

  /** Has these faults from now on, and no others. */
  behave(...faults: (keyof typeof FAULTS)[]): void {
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${this.control}.new`, faults.map((fault) => FAULTS[fault]).join(""));
    renameSync(`${this.control}.new`, this.control);
  }
}
