import sqlite from "../../src/adapters/sqlite/sqlite-adapter.js";
import { SILENT_CONTEXT, type Storage, type StorageContext } from "../../src/application/storage-adapter.js";

export function openSqlite(path: string, context: Partial<StorageContext> = {}) {
  return sqlite.open(`sqlite:${path}`, { ...SILENT_CONTEXT, ...context }) as Promise<Required<Storage>>;
}
