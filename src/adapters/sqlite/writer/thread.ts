import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type DatabaseFile, identityOf, MOVED, openToWrite } from "../database.js";
import { writeOperations } from "../schema.js";
import type { Order, Report, Work } from "./messages.js";

// The writing thread runs this; `writer.ts` starts it and gives it work. Only here anything waits for the disk or a lock.

const port = parentPort as MessagePort;
const file = workerData as DatabaseFile;
const database = await openToWrite(file);
const identity = identityOf(file.path);
const operations = writeOperations(database);

port.on("message", (message: Order) => {
  if (message.order === "commit") report(commit(message.work));
  else close();
});
report({ report: "open" });

function report(message: Report): void {
  port.postMessage(message);
}

/** Stores all or nothing. */
function commit(work: readonly Work[]): Report {
  try {
    // Otherwise the work would go into a file that nobody finds again.
    if (identityOf(file.path) !== identity) throw new Error(MOVED);
    database.exec("BEGIN IMMEDIATE");
    const results = work.map(({ does, value }) => operations[does](value as never));
    database.exec("COMMIT");
    return { report: "committed", results };
  } catch (error) {
    // At some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    const { message, errcode } = error as { message: string; errcode?: number };
    return { report: "failed", message, errcode };
  }
}

/** Moves the write-ahead log into the database, as far as nobody reads it: a checkpoint that waits holds up all creates. */
function close(): void {
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // Nothing is lost: the pages stay in the log, and the next start reads them.
  }
  // The end of the thread closes the file. If Node ends the thread while it waits for the disk, one more call of the
  // driver here would abort the process.
  port.close();
}
