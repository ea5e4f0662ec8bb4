import { type BigIntStats, realpathSync, statSync } from "node:fs";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type DatabaseFile, rewriteMark } from "./database.js";

/** Tells files apart, whatever path leads to one: symbolic links, hard links, other spellings. Undefined without a file. */
export function identityOf(path: string): string | undefined {
  return identity(found(path));
}

function found(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function identity(file: BigIntStats | undefined): string | undefined {
  return file && `${file.dev} ${file.ino}`;
}

const MOVED =
  "The SQLite file, its -wal or its -shm is no longer in its place, or another one is; put it back, or restart the " +
  "service to use what is there.";

const CHANGED =
  "Another program has changed the SQLite file past SQLite, or holds up its checkpoint; if this lasts, restart the service, " +
  "which then checks the file.";

/** How long to wait for a checkpoint of another process, in milliseconds: it writes the file before it says so. */
const CHECKPOINT = 1000;

/** Watches the files of an open database: what is written while one of them is lost, nobody finds again. */
export class FileWatch {
  /** The write-ahead log and its index are part of the database (sqlite.org/wal.html), and are beside its real file. */
  private readonly paths: readonly string[];
  private readonly identities: string;
  private readonly selectLog: StatementSyncInstance;
  private readonly selectVersion: StatementSyncInstance;
  private seen: ReturnType<FileWatch["state"]>;
  /** Nothing explains the change of the file yet. */
  private doubted = false;

  constructor(
    private readonly database: DatabaseSyncInstance,
    private readonly file: DatabaseFile,
  ) {
    const real = realpathSync(file.path);
    this.paths = [file.path, `${real}-wal`, `${real}-shm`];
    this.identities = String(this.paths.map(identityOf));
    this.selectLog = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.selectVersion = database.prepare("PRAGMA data_version");
    this.seen = this.state();
  }

  /**
   * @param committed whether this connection has committed since the last look
   * @throws Error if a file is not the one that was opened, or another program has written to it past SQLite
   */
  look(committed: boolean): void {
    const end = performance.now() + CHECKPOINT;
    while (!this.isExplained(committed)) {
      if (this.doubted || performance.now() > end) {
        this.doubt(true);
        throw new Error(CHANGED);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    this.doubt(false);
  }

  /** Whether the file is as it was, or has what a checkpoint wrote: in this commit, or in another process after its own. */
  private isExplained(committed: boolean): boolean {
    const { seen } = this;
    const now = this.state();
    const isExplained =
      now.written === seen.written ||
      now.checkpointed !== seen.checkpointed ||
      now.version !== seen.version ||
      (committed && now.checkpointed !== 0n);
    if (isExplained) this.seen = now;
    return isExplained;
  }

  private state() {
    const files = this.paths.map(found);
    if (String(files.map(identity)) !== this.identities) {
      // What is in a log without a name is lost with the process, unless the database has it.
      this.database.exec("PRAGMA wal_checkpoint(PASSIVE)");
      throw new Error(MOVED);
    }
    const [, , checkpointed] = this.selectLog.get() as bigint[];
    // It changes with each commit of another connection (sqlite.org/pragma.html#pragma_data_version).
    const [version] = this.selectVersion.get() as bigint[];
    return { written: `${files[0]?.mtimeNs} ${files[0]?.size}`, checkpointed, version };
  }

  /** The mark lets the next start check a file that may be a mixture. */
  private doubt(doubted: boolean): void {
    if (doubted === this.doubted) return;
    if (this.file.mayMake) rewriteMark(this.file.path, doubted ? "check\n" : "");
    this.doubted = doubted;
  }
}
