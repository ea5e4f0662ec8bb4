import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { ensureSchema, hasSchema } from "./schema.js";
import { isBusy, unusable } from "./sqlite-errors.js";

/** How long to wait for a lock of another process, in milliseconds: clients get a response within 5 s. */
const LOCK_TIMEOUT = 4000;

export interface DatabaseFile {
  readonly path: string;
  /** Whether to create a missing file. If false, opening it writes nothing. */
  readonly mayMake: boolean;
}

/** Rows as arrays, and integers as bigints. */
const OPTIONS = { returnArrays: true, readBigInts: true };

/** Opens a file for writes. Blocks on locks and on the disk. @throws Error that says how to fix the file */
export async function openToWrite({ path, mayMake }: DatabaseFile): Promise<DatabaseSyncInstance> {
  if (!mayMake && !existsSync(path)) {
    throw new Error(`The SQLite file ${path} is not there; correct the path.`);
  }
  for (const deadline = performance.now() + LOCK_TIMEOUT; ; await sleep(50)) {
    try {
      if (mayMake) mkdirSync(dirname(path), { recursive: true });
      return open(path, mayMake);
    } catch (error) {
      // SQLite's own timeout does not cover the switch of another process to WAL mode.
      if (!isBusy(error) || performance.now() > deadline) throw unusable(path, error);
    }
  }
}

function open(path: string, mayMake: boolean): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { ...OPTIONS, timeout: LOCK_TIMEOUT });
  try {
    // SQLite itself opens a read-only file without an error.
    if (mayMake) accessSync(path, constants.W_OK);
    // Before anything changes in the file.
    if (!hasSchema(database) && !mayMake) throw new Error("it is empty; name another file.");
    if (mayMake) {
      // Returns the mode that is now in force.
      const [mode] = database.prepare("PRAGMA journal_mode = WAL").get();
      if (mode !== "wal")
        throw new Error("its file system does not support a write-ahead log; put it on a local disk.");
      ensureSchema(database);
    }
    // Each commit waits for the disk (sqlite.org/pragma.html#pragma_synchronous).
    database.exec("PRAGMA synchronous = FULL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a second connection for reads. These wait for no lock. */
export function openToRead(path: string): DatabaseSyncInstance {
  return new DatabaseSync(path, OPTIONS);
}
