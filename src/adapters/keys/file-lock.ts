import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";

/** How long a process waits for the others, in milliseconds. */
const PATIENCE = 30_000;

/** How long to wait at most before the lock is asked for again, in milliseconds. */
const RETRY_INTERVAL = 20;

/** SQLite's result code if another connection holds the lock (sqlite.org/rescode.html). */
const BUSY = 5;

/**
 * Runs `task` while nobody else, in this process or another, runs one under the same lock.
 *
 * The lock is SQLite's, on an empty database file: the operating system frees it with the process that held it,
 * however that ended, so that no lock is ever left behind.
 *
 * @throws Error if the lock is still held after 30 seconds, or its file cannot be made.
 */
export async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  const database = open(path);
  try {
    await acquire(database, path);
    return await task();
  } finally {
    database.close();
  }
}

function open(path: string): DatabaseSyncInstance {
  try {
    return new DatabaseSync(path);
  } catch (cause) {
    throw refusal(path, cause);
  }
}

async function acquire(database: DatabaseSyncInstance, path: string): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return database.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      // The low byte of an extended result code is the primary one.
      const code = ((cause as { errcode?: number }).errcode ?? 0) & 0xff;
      if (code !== BUSY || performance.now() > deadline) throw refusal(path, cause);
      await sleep(Math.random() * RETRY_INTERVAL);
    }
  }
}

function refusal(path: string, cause: unknown): Error {
  return new Error(`The lock ${path} cannot be had; end its holder, or correct its permissions.`, {
    cause,
  });
}
