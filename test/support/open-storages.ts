import mongodb from "../../src/adapters/mongodb/mongodb-adapter.js";
import * as sqlite from "../../src/adapters/sqlite/open-sqlite.js";
import { SILENT_CONTEXT, type StorageContext } from "../../src/application/storage-adapter.js";

/** Opens a SQLite file, and makes it if it is not there. */
export function openSqlite(path: string, context: Partial<StorageContext> = {}) {
  return sqlite.openSqlite(path, { ...SILENT_CONTEXT, ...context });
}

export type SqliteStorage = Awaited<ReturnType<typeof openSqlite>>;

/** Opens a MongoDB database, and makes its collections if they are not there. */
export async function openMongodb(url: string, context: Partial<StorageContext> = {}) {
  const { archive, ...storage } = await mongodb.open(url, { ...SILENT_CONTEXT, ...context });
  if (!archive) throw new Error("the storage has no archive");
  return { ...storage, archive };
}

export type MongodbStorage = Awaited<ReturnType<typeof openMongodb>>;
