import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type DatabaseFile, openToRead, openToWrite } from "../database.js";
import { FileWatch, identityOf } from "../file-watch.js";
import type { Answer, Batch, Failure, Work } from "./messages.js";
import { type Access, type AnyOperations, OPERATIONS } from "./operations.js";

// Both threads run this, and `database-thread.ts` starts them. Only here anything waits for the disk or a lock.

const port = parentPort as MessagePort;
const { file, access } = workerData as { file: DatabaseFile; access: Access };
const database = await (access === "write" ? openToWrite : openToRead)(file);
const operations: AnyOperations = OPERATIONS[access](database);
const watch = access === "write" && file.mayMake ? new FileWatch(database, file.path) : undefined;

port.on("message", (batch: Batch) => {
  // The end of the thread closes the file. If Node ends the thread while it waits for the disk, one more call of the
  // driver here would abort the process.
  if (batch === "close") return port.close();
  port.postMessage(access === "write" ? write(batch) : read(batch));
  // Nobody waits for it, but the next batch.
  watch?.checkpoint();
});
const identity = identityOf(file.path);
port.postMessage(identity);

/** Stores all or nothing. */
function write(work: readonly Work[]): Answer {
  try {
    watch?.look();
    database.exec("BEGIN IMMEDIATE");
    const results = work.map(({ does, value }) => operations[does]?.(value as never));
    database.exec("COMMIT");
    // Otherwise the work may be in a file that nobody finds again.
    watch?.look();
    return { results, failures: [] };
  } catch (error) {
    // At some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    return { results: [], failures: work.map((_, at) => failure(at, error)) };
  }
}

/** Finds all at one moment. What fails, fails alone. */
function read(work: readonly Work[]): Answer {
  const failures: Failure[] = [];
  // Nothing watches a file that this program only reads: another one may have taken its place.
  const isGone = !file.mayMake && identityOf(file.path) !== identity;
  database.exec("BEGIN");
  const results = work.map(({ does, value }, at) => {
    try {
      if (isGone) throw new Error("The SQLite file is gone, or another one is in its place; put it back.");
      return operations[does]?.(value as never);
    } catch (error) {
      failures.push(failure(at, error));
      return undefined;
    }
  });
  // At some failures SQLite has ended the transaction by itself.
  if (database.isTransaction) database.exec("ROLLBACK");
  return { results, failures };
}

function failure(at: number, error: unknown): Failure {
  const { message, errcode } = error as { message: string; errcode?: number };
  return { at, message, errcode };
}
