import sqlite from "../../src/adapters/sqlite/sqlite-adapter.js";
import { SILENT_CONTEXT, type Storage, type StorageContext } from "../../src/application/storage-adapter.js";

/** Opens a SQLite file, and makes it if it is not there. */
export function openSqlite(path: string, context: Partial<StorageContext> = {}) {
  return sqlite.open(`sqlite:${path}`, { ...SILENT_CONTEXT, ...context }) as Promise<Required<Storage>>;
}
