import { existsSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy } from "./database.js";

/** How long to wait for a process that only checks the lock, in milliseconds. */
const PATIENCE = 100;

/**
 * Shows other processes that a file is in use, by a shared lock on an empty database file beside it. The
 * operating system frees the lock when the process ends in any way. Locks on the file itself say less: every
 * reader has one, such as a backup or a shell, and the driver keeps its own for a while after it has closed
 * the file.
 */
export class UseLock {
  private constructor(private readonly database: DatabaseSyncInstance | undefined) {}

  /**
   * Takes the lock, which any number of processes may hold. May fail: only messages to other programs depend
   * on it.
   */
  static hold(file: string): UseLock {
    let database: DatabaseSyncInstance | undefined;
    try {
      database = new DatabaseSync(pathOf(file));
      database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
      database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
      return new UseLock(database);
    } catch {
      database?.close();
      return new UseLock(undefined);
    }
  }

  release(): void {
    this.database?.close();
  }

  /** Whether any process holds the lock. */
  static isHeld(file: string): boolean {
    if (!existsSync(pathOf(file))) return false;
    const database = new DatabaseSync(pathOf(file));
    try {
      database.exec("BEGIN EXCLUSIVE");
      return false;
    } catch (error) {
      return isBusy(error);
    } finally {
      database.close();
    }
  }
}

function pathOf(file: string): string {
  return `${file}-use`;
}
