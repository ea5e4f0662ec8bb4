import { existsSync } from "node:fs";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy } from "./database.js";

/** How long a process that just looks whether the lock is held is waited for, in milliseconds. */
const PATIENCE = 100;

/**
 * Shows other processes that a file is in use: a shared lock on an empty database file beside it. The operating system
 * frees it with the process, however that ends. The locks on the file itself tell less: whoever reads it has one, a
 * backup or a shell, and the driver keeps its own for a while after it was closed.
 */
export class UseLock {
  private constructor(private readonly database: DatabaseSyncInstance | undefined) {}

  /** Holds the lock; any number may. Nothing depends on it but what others are told, so that it may also fail. */
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

  /** Whether anybody holds the lock. */
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
