import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy, startError } from "./errors.js";
import { migrate, numberOf, refuseEmpty, refuseForeign, refuseOlder } from "./migrations.js";
import { MIGRATIONS } from "./schema.js";

/** How long a commit or an opening waits for the lock of another process, in milliseconds. */
const LOCK_PATIENCE = 4000;

/** Integers come as bigints, and rows as arrays. */
const OPTIONS = { readBigInts: true, returnArrays: true, timeout: LOCK_PATIENCE };

export interface DatabaseFile {
  /** Absolute, since SQLite reads `file:…?mode=memory` as a URL, and the working directory may change. */
  readonly path: string;
  /** The path as the operator wrote it, for messages. */
  readonly name: string;
  /** Whether the file may be made, and its schema brought up to date. */
  readonly mayMake: boolean;
}

/**
 * A file that says that the database was made once: nobody makes another one in its place. It is empty, unless another
 * program may have written over the database: then it has the highest id of a pet, and a start checks that this is there.
 */
const markOf = (path: string) => `${path}.made`;

/** Whether another program may have written over the database. */
export function isMarked(path: string): boolean {
  return (statSync(markOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The highest id of a pet that the mark names; 0 if it names none, as on a full disk. */
export function markedId(path: string): bigint {
  return BigInt(/^\d{19}$/.exec(readFileSync(markOf(path), "latin1"))?.[0] ?? 0);
}

/**
 * What is at the end of a link in the place of the mark stays as it is.
 *
 * @param newest the highest id of a pet, 0 if that is not known, if the database is in doubt
 */
export function mark(path: string, newest?: bigint): void {
  const file = openSync(markOf(path), constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    // A byte without content fits on a full disk.
    ftruncateSync(file, newest === undefined ? 0 : 1);
    // Of the same length for each id, since two processes may write at once.
    if (newest) writeSync(file, String(newest).padStart(19, "0"), 0);
  } finally {
    closeSync(file);
  }
}

/** The highest id of a pet; null without pets. */
export const NEWEST_ID = "SELECT max(id) FROM pets";

/** The highest id that was given; no row before the first pet. */
export const HIGHEST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'pets'";

/**
 * Opens a file to write, and brings its schema up to date if it may. This waits for locks and for the disk, so only the writing
 * thread may call it.
 *
 * @throws Error that says what is wrong with the file and what to do about it
 */
export async function openToWrite(file: DatabaseFile): Promise<DatabaseSyncInstance> {
  const { path, name, mayMake } = file;
  const wasMade = existsSync(markOf(path));
  if (wasMade && !existsSync(path)) {
    throw new Error(
      `The SQLite file ${name} is gone; restore it from a backup, or give up its pets: delete ${markOf(name)}.`,
    );
  }
  if (!mayMake && !existsSync(path)) {
    throw new Error(`The SQLite file ${name} is not there, or not to be reached; correct the path.`);
  }
  for (const deadline = performance.now() + LOCK_PATIENCE; ; await sleep(50)) {
    try {
      if (mayMake) mkdirSync(dirname(path), { recursive: true });
      const isDoubted = isMarked(path);
      if (isDoubted) checkWhole(path, markedId(path));
      const database = open(file, wasMade);
      if (mayMake && !wasMade) leaveMark(path);
      if (mayMake && isDoubted) mark(path);
      return database;
    } catch (error) {
      // SQLite itself does not wait for a lock as it begins a write-ahead log.
      if (!isBusy(error) || performance.now() > deadline) throw startError(file.name, error);
    }
  }
}

/** Another process may do the same at once. What a link in its place leads to stays as it is. */
function leaveMark(path: string): void {
  try {
    writeFileSync(markOf(path), "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function open({ path, name, mayMake }: DatabaseFile, wasMade: boolean): DatabaseSyncInstance {
  const database = new DatabaseSync(path, OPTIONS);
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
    refuseMisfit(database, path);
    // A read of the tables, so that a file which is damaged there fails now.
    database.exec(`${NEWEST_ID}; ${HIGHEST_ID}`);
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

/** @throws Error if the database has pages that are neither in its file nor in the log, or its file has others */
function refuseMisfit(database: DatabaseSyncInstance, path: string): void {
  const framesInLog = () => Number((database.prepare("PRAGMA wal_checkpoint(NOOP)").get() as bigint[])[1]);
  const frames = framesInLog();
  // This fails if the log cannot be written.
  database.exec("BEGIN IMMEDIATE");
  const inFile = statSync(path).size / numberOf(database, "PRAGMA page_size");
  const missing = numberOf(database, "PRAGMA page_count") - inFile;
  database.exec("COMMIT");
  const fits = frames > 0 ? missing <= frames : missing === 0;
  // If another process has committed meanwhile, these numbers are not of one moment.
  if (fits || framesInLog() !== frames) return;
  throw new Error(
    "its size does not fit its header: it was cut off, or another file was written over it; restore it from a backup.",
  );
}

/**
 * Reads the whole file and its log, and changes neither.
 *
 * @param newest the id of a pet that it must have, or a higher one
 * @throws Error if it is damaged, or lacks pets
 */
export function checkWhole(path: string, newest: bigint): void {
  const database = new DatabaseSync(path, { ...OPTIONS, readOnly: true });
  try {
    const [found] = database.prepare("PRAGMA integrity_check(1)").get() as string[];
    if (found !== "ok") {
      throw new Error(
        "another program wrote over it, or put it beside the -wal of another; restore it from a backup.",
      );
    }
    // An older file can be sound with a log that holds few pages: these then have pets that nobody finds.
    if (newestPet(database) < newest) {
      throw new Error(
        `pets that it had are missing, since another program wrote over it or its -wal; restore it from a backup, or give up what is missing: truncate -s 0 '${markOf(path)}'`,
      );
    }
  } finally {
    database.close();
  }
}

/** The highest id of a pet; 0 if there is none, or not even a table. */
function newestPet(database: DatabaseSyncInstance): bigint {
  const hasPets = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pets'").get();
  const [id] = hasPets ? (database.prepare(NEWEST_ID).get() as [bigint | null]) : [];
  return id ?? 0n;
}

/**
 * Opens a file that the writing thread has open, to read: a read waits for no writer and no checkpoint. The connection may
 * write, so that the last one to close can remove the write-ahead log.
 */
export function openToRead(file: DatabaseFile): DatabaseSyncInstance {
  try {
    return new DatabaseSync(file.path, OPTIONS);
  } catch (error) {
    throw startError(file.name, error);
  }
}
