import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy, startError } from "./errors.js";
import { MIGRATIONS, migrate, versionOf } from "./migrations.js";
import type { WriterGauges } from "./writer/gauges.js";
import { skipLostIds } from "./writer/thread/power-cut.js";

/** How long a start waits for a lock that another process holds, in milliseconds. */
const OPEN_PATIENCE = 5000;

export interface DatabaseFile {
  /**
   * Absolute, since SQLite reads `file:…?mode=memory` as a URL, and the working directory may change. Without symbolic
   * links, so that a link that changes leads nobody to another file.
   */
  readonly path: string;
  /** The path as the operator wrote it, for messages. */
  readonly name: string;
}

/**
 * Opens the file to write, and brings its schema up to date. It waits for locks and for the disk, so never
 * call it on the event loop.
 *
 * @param make whether to make the file if it is missing
 * @param gauges show that the thread is busy, as long as it is
 * @throws Error that says what is wrong with the file and what to do about it.
 */
export async function openDatabase(
  file: DatabaseFile,
  make: boolean,
  gauges: WriterGauges,
): Promise<DatabaseSyncInstance> {
  const deadline = performance.now() + OPEN_PATIENCE;
  for (;;) {
    try {
      return gauges.busyWith(() => open(file.path, make));
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw startError(file.name, error);
      await sleep(50);
    }
  }
}

/** SQLite answers with the mode that the database then has, and not with an error if that is another. */
export function writeAhead(database: DatabaseSyncInstance): void {
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode = WAL").get();
  if (mode === "wal") return;
  throw new Error(
    `its file system cannot keep a write-ahead log (journal_mode stays "${mode}"); put it on a local disk.`,
  );
}

function open(path: string, make: boolean): DatabaseSyncInstance {
  if (make) mkdirSync(dirname(path), { recursive: true });
  else accessSync(path);
  const database = new DatabaseSync(path);
  try {
    // SQLite opens a read-only file without an error.
    accessSync(path, constants.W_OK);
    // Refuses another program's database before anything there changes.
    versionOf(database);
    writeAhead(database);
    database.exec("PRAGMA synchronous = FULL");
    // A process that was killed may have left a gap in the log. This does nothing while another one reads or writes.
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    migrate(database, MIGRATIONS);
    skipLostIds(database);
    // From here on, `WriteAheadLog` waits for the disk, without the lock.
    database.exec("PRAGMA synchronous = NORMAL");
    // A read of the table, so that a file which is damaged there fails now.
    database.exec("SELECT max(id) FROM pets");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a file that a writer has open, to read on the event loop without waiting for a lock. The connection
 * may write, so that the last one to close can remove the write-ahead log, which is empty then.
 *
 * @throws Error as `openDatabase`
 */
export function openToRead(file: DatabaseFile): DatabaseSyncInstance {
  try {
    const database = new DatabaseSync(file.path);
    database.exec("PRAGMA query_only = ON");
    return database;
  } catch (error) {
    throw startError(file.name, error);
  }
}
