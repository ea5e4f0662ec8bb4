import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { StatementSyncInstance } from "@photostructure/sqlite";
import { type DatabaseFile, openToWrite } from "./database.js";

// The thread that `writer.ts` starts: the only place where the program waits for a lock or for the disk.

const port = parentPort as MessagePort;
const file = workerData as DatabaseFile;
const database = openToWrite(file);
const prepared = new Map<string, StatementSyncInstance>();

type Statement = readonly [sql: string, ...values: (string | bigint | null)[]];

/** Executes `writes`, unless `find` selects a row. */
export interface Job {
  readonly find?: Statement | undefined;
  readonly writes: readonly Statement[];
}

export interface Result {
  readonly found?: readonly [string, string] | undefined;
  /** The id of the last inserted row. */
  readonly id: number;
}

/** The results in the order of the jobs, or why the thread stored nothing; `errcode` is SQLite's result code. */
export type Reply = readonly Result[] | { readonly message: string; readonly errcode: number | undefined };

function prepare(sql: string): StatementSyncInstance {
  const statement = prepared.get(sql) ?? database.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}

function execute({ find, writes }: Job): Result {
  const found = find && prepare(find[0]).get(...find.slice(1));
  if (found) return { found, id: 0 };
  // RETURNING takes three times as long.
  const changes = writes.map(([sql, ...values]) => prepare(sql).run(...values));
  return { id: Number(changes.at(-1)?.lastInsertRowid) };
}

/** Stores all or nothing. */
function commit(batch: readonly Job[]): Reply {
  try {
    database.exec("BEGIN IMMEDIATE");
    const results = batch.map(execute);
    database.exec("COMMIT");
    return results;
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    const { message, errcode } = error as { message: string; errcode?: number };
    return { message, errcode };
  }
}

port.on("message", (batch: readonly Job[] | "close") => {
  if (batch !== "close") return port.postMessage(commit(batch));
  try {
    // Moves every commit into the main file. The last connection to close would do so, but the driver keeps the reader open
    // as long as its statements are in memory.
    if (file.mayMake) database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The write-ahead log keeps them, e.g. if the disk is full.
  }
  port.close();
});
port.postMessage("open");
