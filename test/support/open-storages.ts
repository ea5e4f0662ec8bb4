import { type CommandStartedEvent, MongoClient } from "mongodb";
import * as mongodb from "../../src/adapters/mongodb/open-mongodb.js";
import * as sqlite from "../../src/adapters/sqlite/open-sqlite.js";
import { SILENT_CONTEXT, type StorageContext } from "../../src/application/ports/storage.js";

/** Opens a SQLite file, and makes it if it is not there. */
export function openSqlite(path: string, context: Partial<StorageContext> = {}) {
  return sqlite.openSqlite(path, { ...SILENT_CONTEXT, ...context });
}

export type SqliteStorage = Awaited<ReturnType<typeof openSqlite>>;

/** Opens a MongoDB database, and makes its collections if they are not there. */
export function openMongodb(url: string, context: Partial<StorageContext> = {}) {
  return mongodb.openMongodb(url, { ...SILENT_CONTEXT, ...context });
}

/** Opens a MongoDB database, and tells of each command that the driver sends. */
export async function openMonitored(url: string, started: (event: CommandStartedEvent) => void) {
  const { connect } = MongoClient.prototype;
  MongoClient.prototype.connect = function () {
    this.on("commandStarted", started);
    return connect.call(this);
  };
  const storage = await openMongodb(`${url}${url.includes("?") ? "&" : "?"}monitorCommands=true`);
  MongoClient.prototype.connect = connect;
  return storage;
}

export type MongodbStorage = Awaited<ReturnType<typeof openMongodb>>;
