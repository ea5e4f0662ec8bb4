import { type BigIntStats, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { checkWhole, isMarked, mark, markedId, NEWEST_ID } from "./database.js";

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

const REMEDY = "end every process that uses it: the next start checks what is there.";
const MOVED = `The SQLite file, its -wal or its -shm is gone, or another one is in its place; put it back, or ${REMEDY}`;
const CHANGED = `Another program has changed the SQLite file or its -wal past SQLite; ${REMEDY}`;

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
  private readonly selectNewest: StatementSyncInstance;
  private seen: State;
  /** The highest id of a pet that a look has found. */
  private newest = 0n;
  /** What the last look refused. */
  private refused: string | undefined;

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
    this.selectNewest = database.prepare(NEWEST_ID);
    this.seen = this.state();
    this.accept(this.seen);
  }

  /** @throws Error if a file is not the one that was opened, or another program has written to it past SQLite */
  look(): void {
    const end = performance.now() + CHECKPOINT_PATIENCE;
    let now = this.state();
    while (!this.isExplained(now)) {
      if (now.places !== this.seen.places) {
        // What is in a log without a name is lost with the process, unless the database has it.
        this.moveLog();
        this.refuse(now, MOVED, 0n);
      }
      if (now.text === this.refused) this.refuse(now, CHANGED);
      if (this.refused || performance.now() > end) {
        this.check(now);
        break;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      now = this.state();
    }
    this.accept(now);
  }

  /** Moves a log that has grown into the database, as far as nobody reads it. */
  checkpoint(): void {
    const { pages, moved } = this.seen;
    if (this.refused || pages < CHECKPOINT_PAGES || moved === pages) return;
    this.moveLog();
    try {
      // Even if it has failed it may have written.
      this.seen = { ...this.state(), places: this.seen.places };
    } catch {
      // The files cannot be looked at now: the next look says so.
    }
  }

  private moveLog(): void {
    try {
      this.database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // Nothing is lost: the pages stay in the log, and are moved after another commit, or at the next start.
    }
  }

  /** Whether the log has its pages, and the file is as it was, or a checkpoint of another connection has written to it. */
  private isExplained(now: State): boolean {
    const { seen } = this;
    const isOurs = now.written === seen.written || now.checkpoints !== seen.checkpoints;
    return isOurs && now.isWhole && now.places === seen.places && !now.isMarked && !this.refused;
  }

  /** Of a file that was but touched, or to which a checkpoint wrote that was killed, all is there. */
  private check(now: State): void {
    try {
      const marked = now.isMarked ? markedId(this.path) : 0n;
      checkWhole(this.path, marked > this.newest ? marked : this.newest);
    } catch {
      // It is damaged, lacks pets, or cannot be read now.
      this.refuse(now, CHANGED);
    }
    if (now.isMarked) mark(this.path);
  }

  private accept(now: State): void {
    this.seen = now;
    this.refused = undefined;
    this.newest = (this.selectNewest.get() as [bigint | null])[0] ?? 0n;
  }

  /** The mark lets the next start check the file, and other processes now. */
  private refuse(now: State, message: string, newest = this.newest): never {
    this.refused = now.text;
    try {
      if (!now.isMarked || markedId(this.path) < newest) mark(this.path, newest);
    } catch {
      // The next look tries it again.
    }
    throw new Error(message);
  }

  private state() {
    // It has a new header once a checkpoint has moved all of it (sqlite.org/fileformat2.html, section 4.1).
    const header = Buffer.alloc(32);
    readSync(this.log, header, 0, header.length, 0);
    const pageSize = header.readUInt32BE(8);
    const [, pages, moved] = this.selectLog.get() as [bigint, bigint, bigint];
    // The files come last: a checkpoint writes them before it changes one of those numbers.
    const files = this.paths.map(found);
    const places = String(files.map(identity));
    const written = `${files[0]?.mtimeNs} ${files[0]?.size}`;
    const checkpoints = `${header.toString("hex")} ${moved}`;
    // Each page in the log has 24 bytes more.
    const isWhole =
      pages === 0n || (pageSize > 0 && (files[1]?.size ?? 0n) >= 32n + pages * BigInt(24 + pageSize));
    const text = [places, written, checkpoints, isWhole].join();
    return { places, written, checkpoints, isWhole, pages, moved, text, isMarked: isMarked(this.path) };
  }
}

type State = ReturnType<FileWatch["state"]>;
