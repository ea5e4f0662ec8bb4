import { realpathSync, statSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Tells files apart, whatever path leads to one: symbolic links, hard links, other spellings. Undefined without a file. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Watches the files of an open database: what is written while one of them is lost, nobody finds again. */
export class FileWatch {
  /** The write-ahead log and its index are part of the database (sqlite.org/wal.html), and are beside its real file. */
  private readonly paths: readonly string[];
  private readonly identities: string;
  /** Whether a file was lost at the last look. */
  lost = false;

  constructor(
    private readonly database: DatabaseSyncInstance,
    path: string,
  ) {
    const real = realpathSync(path);
    this.paths = [path, `${real}-wal`, `${real}-shm`];
    this.identities = this.look();
  }

  /** @throws Error if a file is not the one that was opened */
  refuseLost(): void {
    this.lost = this.look() !== this.identities;
    if (!this.lost) return;
    // What is in a log without a name is lost with the process, unless the database has it.
    this.database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    throw new Error(
      "The SQLite file, its -wal or its -shm is no longer in its place, or another one is; put it back, or restart the " +
        "service to use what is there.",
    );
  }

  private look(): string {
    return String(this.paths.map(identityOf));
  }
}
