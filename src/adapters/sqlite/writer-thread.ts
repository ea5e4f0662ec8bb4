import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { StatementSyncInstance } from "@photostructure/sqlite";
import { type DatabaseFile, openToWrite } from "./database.js";
import { isBusy, resultCode } from "./sqlite-errors.js";

// The thread that `writer.ts` starts. Writes wait here for locks and for the disk, so that the event loop does not.

const port = parentPort as MessagePort;
const file: DatabaseFile = workerData;
const database = openToWrite(file);
const prepared = new Map<string, StatementSyncInstance>();

/** Statements that are executed together, or not at all. */
export type Job = readonly (readonly [sql: string, ...values: (string | bigint)[]])[];

/** The result of the last statement of a job. `lastInsertRowid` means nothing without `changes`. */
export type Result = ReturnType<StatementSyncInstance["run"]>;

/** The result of a job, or why it has not been executed; `errcode` is SQLite's result code. */
export type Outcome = Result | { readonly message: string; readonly errcode: number };

function execute(job: Job): Result {
  let result: Result = { changes: 0, lastInsertRowid: 0 };
  for (const [sql, ...values] of job) {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    result = statement.run(...values);
  }
  return result;
}

/** Runs a batch in one transaction. If that fails it runs each half, so that no job fails another. */
function run(batch: readonly Job[]): readonly Outcome[] {
  try {
    database.exec("BEGIN IMMEDIATE");
    const results = batch.map(execute);
    database.exec("COMMIT");
    return results;
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    const failure = { message: (error as Error).message, errcode: resultCode(error) };
    if (batch.length === 1 || isBusy(error)) return batch.map(() => failure);
    const middle = batch.length >> 1;
    const outcomes = run(batch.slice(0, middle));
    const rest = batch.slice(middle);
    // Another process holds the lock now: no job waits for it twice.
    const locked = outcomes.find(isBusy);
    return [...outcomes, ...(locked ? rest.map(() => locked) : run(rest))];
  }
}

port.on("message", (message: readonly Job[] | "closing" | "close") => {
  // From now on no batch waits long for a lock (ms), so that the process can end in time.
  if (message === "closing") return database.exec("PRAGMA busy_timeout = 500");
  if (message !== "close") return port.postMessage(run(message));
  try {
    // Moves every commit into the main file. The last connection to close would do so, but the driver keeps
    // the reader open as long as its statements are in memory.
    if (file.mayMake) database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The write-ahead log keeps the commits, e.g. if the disk is full.
  }
  port.close();
});
port.postMessage("open");
