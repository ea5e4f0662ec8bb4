import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { isBusy } from "./errors.js";

/** How long to wait before the next try to get the lock, in milliseconds. A process that checks it frees it at once. */
const RETRY_INTERVAL = 20;

/**
 * Shows other processes that a file is in use, by a shared lock on an empty database file beside it; a copy asks
 * before it begins, through `look`. The operating system frees the lock when the process ends in any way. Locks on
 * the file itself say less: every reader has one, such as a backup or a shell, and the driver keeps its own for a
 * while after it has closed the file.
 */
export class InUseLock {
  private readonly database: DatabaseSyncInstance | undefined;
  private readonly path: string;
  private retry: NodeJS.Timeout | undefined;

  /** Takes the lock, which any number of processes may hold; a little later if a process checks it now. */
  constructor(file: string) {
    this.path = pathOf(file);
    try {
      this.database = new DatabaseSync(this.path);
    } catch {
      // The storage goes on without the lock, on which only messages to other programs depend.
    }
    this.tryToHold();
  }

  /** Frees the lock. The last process that frees it removes the file. */
  async release(): Promise<void> {
    clearTimeout(this.retry);
    try {
      if (this.database?.isTransaction) this.database.exec("ROLLBACK");
      this.database?.exec("BEGIN EXCLUSIVE");
      await rm(this.path, { force: true });
    } catch {
      // Another process has the lock, or nobody may write here: the file stays, and says nothing wrong.
    }
    this.database?.close();
  }

  private tryToHold(): void {
    try {
      if (!this.database?.isTransaction) this.database?.exec("BEGIN");
      this.database?.exec("SELECT count(*) FROM sqlite_schema");
    } catch (error) {
      if (isBusy(error)) this.retry = setTimeout(() => this.tryToHold(), RETRY_INTERVAL).unref();
    }
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
