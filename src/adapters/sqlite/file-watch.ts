import { type BigIntStats, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { rewriteMark } from "./database.js";

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
  "Another program has changed the SQLite file or its -wal past SQLite, or holds up its checkpoint; if this lasts, restart " +
  "the service, which then checks the file.";

/** How long to wait for a checkpoint of another process, in milliseconds: it writes the file before it says so. */
const CHECKPOINT_PATIENCE = 2000;

/** At how many pages in the log a commit is followed by a checkpoint, as by default in SQLite. */
const CHECKPOINT_PAGES = 1000n;

/**
 * Watches the files of a database that this connection writes: what is written while one of them is lost, nobody finds again.
 * The connection's checkpoints are made here, so that what they write, or fail to, is known from what others write.
 */
export class FileWatch {
  /** The write-ahead log and its index are part of the database (sqlite.org/wal.html), and are beside its real file. */
  private readonly paths: readonly string[];
  private readonly log: number;
  private readonly selectLog: StatementSyncInstance;
  private readonly selectVersion: StatementSyncInstance;
  private seen: ReturnType<FileWatch["state"]>;
  /** Nothing explains the change of the file yet. */
  private doubted = false;

  constructor(
    private readonly database: DatabaseSyncInstance,
    private readonly path: string,
  ) {
    const real = realpathSync(path);
    this.paths = [path, `${real}-wal`, `${real}-shm`];
    // SQLite locks the file and the index only: the end of the thread may close this.
    this.log = openSync(`${real}-wal`, "r");
    database.exec("PRAGMA wal_autocheckpoint = 0");
    this.selectLog = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.selectVersion = database.prepare("PRAGMA data_version");
    this.seen = this.state();
  }

  /** @throws Error if a file is not the one that was opened, or another program has written to it past SQLite */
  look(): void {
    const end = performance.now() + CHECKPOINT_PATIENCE;
    while (!this.isExplained()) {
      if (this.doubted || performance.now() > end) {
        this.doubt(true);
        throw new Error(CHANGED);
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    this.doubt(false);
  }

  /** Moves a log that has grown into the database, as far as nobody reads it. */
  checkpoint(): void {
    if (this.doubted || this.seen.pages < CHECKPOINT_PAGES) return;
    this.moveLog();
    // Even if it has failed it may have written.
    this.seen = { ...this.state(), identities: this.seen.identities };
  }

  private moveLog(): void {
    try {
      this.database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // Nothing is lost: the pages stay in the log, and are moved after another commit, or at the next start.
    }
  }

  /** Whether the log has its pages, and the file is as it was, or a checkpoint of another connection has written to it. */
  private isExplained(): boolean {
    const { seen } = this;
    const now = this.state();
    if (now.identities !== seen.identities) {
      // What is in a log without a name is lost with the process, unless the database has it.
      this.moveLog();
      throw new Error(MOVED);
    }
    const isExplained =
      now.logIsWhole && (now.written === seen.written || now.checkpoints !== seen.checkpoints);
    if (isExplained) this.seen = now;
    return isExplained;
  }

  private state() {
    // It has a new header once a checkpoint has moved all of it (sqlite.org/fileformat2.html, section 4.1).
    const header = Buffer.alloc(32);
    readSync(this.log, header, 0, header.length, 0);
    const [, pages, moved] = this.selectLog.get() as [bigint, bigint, bigint];
    // It changes with each commit of another connection (sqlite.org/pragma.html#pragma_data_version).
    const [version] = this.selectVersion.get() as bigint[];
    // The files come last: a checkpoint writes them before it changes one of those numbers.
    const files = this.paths.map(found);
    return {
      identities: String(files.map(identity)),
      written: `${files[0]?.mtimeNs} ${files[0]?.size}`,
      checkpoints: `${header.toString("hex")} ${moved} ${version}`,
      pages,
      // Each page has a header of 24 bytes, too.
      logIsWhole: pages === 0n || (files[1]?.size ?? 0n) >= 32n + pages * BigInt(24 + header.readUInt32BE(8)),
    };
  }

  /** The mark lets the next start check a file that may be a mixture. */
  private doubt(doubted: boolean): void {
    if (doubted === this.doubted) return;
    rewriteMark(this.path, doubted ? "check\n" : "");
    this.doubted = doubted;
  }
}
