import { DatabaseSync } from "@photostructure/sqlite";

/** How long a process waits for the others, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Runs `task` while no other process runs one under the same lock.
 *
 * The lock is SQLite's, on an empty database file: the operating system frees it with the process that held it,
 * however that ended, so that no lock is ever left behind.
 *
 * @throws Error where the lock is still held after 30 seconds.
 */
export async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    throw new Error(`The lock ${path} cannot be had: ${(cause as Error).message}; try again.`, { cause });
  }
  try {
    return await task();
  } finally {
    database.close();
  }
}
