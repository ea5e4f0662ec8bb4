import { accessSync, constants, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { MIGRATIONS, migrate, versionOf } from "./migrations.js";

/** How long a start waits for a lock that another process holds, in milliseconds. */
const OPEN_PATIENCE = 5000;

/** SQLite's primary result codes (sqlite.org/rescode.html), as far as they are told apart here. */
const CODE = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
};

/**
 * Opens the file, makes it where it is missing, and brings its schema up to date.
 *
 * @throws Error that says what is wrong with the file and what to do about it.
 */
export async function openDatabase(path: string): Promise<DatabaseSyncInstance> {
  const deadline = performance.now() + OPEN_PATIENCE;
  for (;;) {
    try {
      // Absolute, since SQLite would take `file:…?mode=memory` for more than a path.
      return open(resolve(path));
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw startError(path, error);
      await sleep(50);
    }
  }
}

function open(path: string): DatabaseSyncInstance {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    // What may only be read SQLite would open without a word.
    accessSync(path, constants.W_OK);
    // Waiting for a lock blocks the whole process: wait a little here, and try again later instead.
    database.exec("PRAGMA busy_timeout = 20");
    // Another program's database is refused here, before anything is changed in it.
    versionOf(database);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    migrate(database, MIGRATIONS);
    // Touches the table, so that a file which is damaged there is refused now.
    database.exec("SELECT max(id) FROM pets");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether another connection holds the lock, so that trying again helps. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === CODE.BUSY || code === CODE.LOCKED;
}

function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as { errcode?: number };
  // The extended codes keep the primary one in their lowest byte.
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

function startError(path: string, cause: unknown): Error {
  const advice = adviceFor(cause);
  return new Error(`The SQLite file ${path} cannot be used: ${advice}`, { cause });
}

function adviceFor(cause: unknown): string {
  switch (primaryCode(cause) ?? (cause as NodeJS.ErrnoException).code) {
    case CODE.BUSY:
    case CODE.LOCKED:
      return "another program holds its lock; end that program, or name another file.";
    case CODE.CANTOPEN:
      return "it is a folder, or this user may not write it or its folder; correct the path or the permissions.";
    case CODE.READONLY:
    case CODE.PERM:
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "this user may not write it or its folder; correct their owner and permissions.";
    case CODE.CORRUPT:
    case CODE.NOTADB:
      return "it is damaged, or no SQLite database; restore it from a backup, or name another file.";
    case CODE.FULL:
    case CODE.IOERR:
    case "ENOSPC":
      return "the disk is full or failing; make room and start again.";
    default:
      // What names a system call is not SQLite's, but comes from making the folder.
      return (cause as NodeJS.ErrnoException).syscall
        ? "its folder cannot be made; correct the path, or the permissions of the folder above."
        : (cause as Error).message;
  }
}
