import * as sqlite from "../../src/adapters/sqlite/open-sqlite.js";
import { SILENT_CONTEXT, type StorageContext } from "../../src/application/storage-adapter.js";

export function openSqlite(path: string, context: Partial<StorageContext> = {}) {
  return sqlite.openSqlite(path, { ...SILENT_CONTEXT, ...context });
}
