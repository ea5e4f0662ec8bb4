import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { upgrade, versionOf } from "./schema.js";
import { SCHEMA_STEPS } from "./schema-steps.js";
import { isBusy, unusable } from "./sqlite-errors.js";

/** How long to wait for a lock of another process, in milliseconds: clients get a response within 5 s. */
const LOCK_TIMEOUT = 4000;

/** The size that the write-ahead log shrinks to after a long read has held it up, in bytes. */
const MAX_IDLE_LOG = 16 * 1024 * 1024;

export interface DatabaseFile {
  readonly path: string;
  /** Whether to create a missing file, and to upgrade its schema. If false, opening it writes nothing. */
  readonly mayMake: boolean;
}

/** Opens a file for writes. Blocks on locks and on the disk. @throws Error that says how to fix the file */
export function openToWrite({ path, mayMake }: DatabaseFile, steps = SCHEMA_STEPS): DatabaseSyncInstance {
  let database: DatabaseSyncInstance | undefined;
  try {
    if (mayMake) mkdirSync(dirname(path), { recursive: true });
    else if (!existsSync(path)) throw new Error("it does not exist; check the path.");
    database = new DatabaseSync(path, { returnArrays: true, timeout: LOCK_TIMEOUT });
    // SQLite itself opens a read-only file without an error.
    if (mayMake) accessSync(path, constants.W_OK);
    // Before anything changes in the file.
    const version = versionOf(database, steps.length);
    if (mayMake) {
      switchToWal(database);
      upgrade(database, steps);
    } else if (version !== steps.length) {
      const needed = `this version needs ${steps.length}; start the service on it once, to upgrade it.`;
      throw new Error(
        version === undefined
          ? "it is empty; check the path."
          : `its schema version is ${version}, ${needed}`,
      );
    }
    // Each commit waits for the disk (sqlite.org/pragma.html#pragma_synchronous).
    database.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${MAX_IDLE_LOG}`);
    return database;
  } catch (error) {
    database?.close();
    throw unusable(path, error);
  }
}

function switchToWal(database: DatabaseSyncInstance): void {
  try {
    database.exec("PRAGMA journal_mode = WAL");
  } catch (error) {
    if (!isBusy(error)) throw error;
    // SQLite's timeout does not cover the switch while another process writes, or switches too; it covers this.
    database.exec("BEGIN EXCLUSIVE; ROLLBACK");
    switchToWal(database);
  }
}
