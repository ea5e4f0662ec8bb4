import { accessSync, constants, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy, startError } from "./errors.js";
import { migrate, refuseEmpty, refuseForeign, refuseOlder } from "./migrations.js";
import { MIGRATIONS } from "./schema.js";

/** How long a commit or an opening waits for the lock of another process, in milliseconds. */
const LOCK_PATIENCE = 4000;

/** Integers come as bigints, and rows as arrays. */
const EXACT = { readBigInts: true, returnArrays: true };

export interface DatabaseFile {
  /** Absolute, since SQLite reads `file:…?mode=memory` as a URL, and the working directory may change. */
  readonly path: string;
  /** The path as the operator wrote it, for messages. */
  readonly name: string;
  /** Whether the file may be made, and its schema brought up to date. */
  readonly mayMake: boolean;
  /** Whether it has been made before, so that a file without pets in its place has lost them. */
  readonly wasMade: boolean;
}

/** An empty file that says that the database was made once: nobody makes another one in its place. */
export const markOf = (path: string) => `${path}.made`;

/** Tells files apart, whatever path leads to one: symbolic links, hard links, other spellings. Undefined without a file. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** The file that is open is no longer at its path. */
export const MOVED =
  "The SQLite file is no longer in its place, or another one is; put it back, or restart the service to use the other.";

/**
 * Opens a file to write, and brings its schema up to date if it may. This waits for locks and for the disk, so only the writing
 * thread may call it.
 *
 * @throws Error that says what is wrong with the file and what to do about it
 */
export async function openToWrite(file: DatabaseFile): Promise<DatabaseSyncInstance> {
  const deadline = performance.now() + LOCK_PATIENCE;
  for (;;) {
    try {
      return open(file);
    } catch (error) {
      // SQLite itself does not wait for a lock as it begins a write-ahead log.
      if (!isBusy(error) || performance.now() > deadline) throw startError(file.name, error);
      await sleep(50);
    }
  }
}

function open({ path, name, mayMake, wasMade }: DatabaseFile): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { ...EXACT, timeout: LOCK_PATIENCE });
  try {
    // SQLite opens a read-only file without an error.
    accessSync(path, constants.W_OK);
    // Before anything in the file changes.
    refuseForeign(database);
    if (wasMade) refuseEmpty(database, markOf(name));
    if (mayMake) writeAhead(database);
    // Each commit waits for the disk, and nobody sees it before (sqlite.org/pragma.html#pragma_synchronous).
    database.exec("PRAGMA synchronous = FULL");
    if (mayMake) migrate(database, MIGRATIONS);
    else refuseOlder(database, MIGRATIONS);
    // A read of the table, so that a file which is damaged there fails now.
    database.exec("SELECT max(id) FROM pets");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite answers with the mode that the database then has, and not with an error if that is another. */
export function writeAhead(database: DatabaseSyncInstance): void {
  const [mode] = Object.values(database.prepare("PRAGMA journal_mode = WAL").get());
  if (mode === "wal") return;
  throw new Error(
    `its file system cannot keep a write-ahead log (journal_mode stays "${mode}"); put it on a local disk.`,
  );
}

/**
 * Opens a file that the writing thread has open, to read on the event loop: a read waits for no writer and no
 * checkpoint. The connection may write, so that the last one to close can remove the write-ahead log.
 *
 * @throws Error as `openToWrite`
 */
export function openToRead({ path, name }: DatabaseFile): DatabaseSyncInstance {
  try {
    const database = new DatabaseSync(path, EXACT);
    database.exec("PRAGMA query_only = ON");
    return database;
  } catch (error) {
    throw startError(name, error);
  }
}
