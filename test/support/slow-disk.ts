import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Compiles a library to preload, and returns its path. Needs Linux with `cc`. */
export function compileLibrary(folder: string, name: string): string {
  const library = join(folder, `${name}.so`);
  // tsc does not copy it.
  const source = join(import.meta.dirname, `../../../test/support/${name}.c`);
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  return library;
}

/** A disk that misbehaves for the programs that are started with `env`. Needs Linux with `cc`. */
export class SlowDisk {
  readonly env: Readonly<Record<string, string>>;
  /** Has a copy of each file as of its last fsync: what a power cut leaves in the worst case. */
  readonly synced: string;
  private readonly control: string;

  /** @param folder for the library, its control file and the copies */
  constructor(folder: string) {
    const library = compileLibrary(folder, "slow-disk");
    this.control = join(folder, "slow-disk");
    this.synced = join(folder, "synced");
    mkdirSync(this.synced);
    this.env = { LD_PRELOAD: library, SLOW_DISK: this.control, SYNCED_FILES: this.synced };
    this.behave("heal");
  }

  /**
   * "hang": no fsync ends until the disk is healed; "fail": every fsync fails; "lockless": locks fail, as on NFS without
   * them; "mapless": files cannot be mapped, as on 9p.
   */
  behave(mode: "hang" | "fail" | "lockless" | "mapless" | "heal"): void {
    // Renamed, so that nobody reads half of it.
    writeFileSync(`${this.control}.new`, mode === "heal" ? "" : mode);
    renameSync(`${this.control}.new`, this.control);
  }
}
