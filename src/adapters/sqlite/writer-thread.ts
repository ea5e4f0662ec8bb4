import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type DatabaseFile, openToWrite } from "./database.js";
import { COLUMNS, type NewRow, type Row } from "./rows.js";

// The thread that `writer.ts` starts: the only place where the program waits for a lock or for the disk.

const port = parentPort as MessagePort;
const file = workerData as DatabaseFile;
const database = await openToWrite(file);

const INSERT = `INSERT INTO pets (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`;
const insert = database.prepare(INSERT);
const insertMissing = database.prepare(`${INSERT} ON CONFLICT DO NOTHING`);
const selectById = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
const selectByKey = database.prepare(`SELECT ${COLUMNS} FROM pets WHERE idempotency_key = ?`);
const raiseSequence = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'");
const startSequence = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)");

export type Job =
  | { readonly name: "createPet"; readonly values: NewRow }
  | { readonly name: "storePets"; readonly rows: readonly Row[] }
  | { readonly name: "raiseIds"; readonly id: bigint }
  | { readonly name: "ping" };

export interface Results {
  /** The new row, or the one that an earlier create stored under the same key. */
  readonly createPet: { readonly row: Row; readonly isNew: boolean };
  /** The id of the first row that conflicts with a stored one, at which it stops; undefined if none does. */
  readonly storePets: bigint | undefined;
  readonly raiseIds: undefined;
  /** No-op: a reply proves that the thread runs and can take the lock. */
  readonly ping: undefined;
}
export type Result = Results[keyof Results];

/** The results in the order of the jobs, or why the thread stored nothing. */
export interface Reply {
  readonly results: readonly Result[];
  /** `errcode` is SQLite's result code (sqlite.org/rescode.html). */
  readonly failure: { readonly message: string; readonly errcode: number | undefined } | undefined;
}

function createPet(values: NewRow): Results["createPet"] {
  const key = values[3];
  const earlier: Row | undefined = key === null ? undefined : selectByKey.get(key);
  if (earlier) return { row: earlier, isNew: false };
  const id = insert.run(null, ...values).lastInsertRowid as bigint;
  return { row: [id, ...values], isNew: true };
}

function storePets(rows: readonly Row[]): Results["storePets"] {
  for (const row of rows) {
    if (insertMissing.run(...row).changes) continue;
    const stored: Row | undefined = selectById.get(row[0]);
    if (!stored?.every((value, at) => value === row[at])) return row[0];
  }
  return undefined;
}

function run(job: Job): Result {
  switch (job.name) {
    case "createPet":
      return createPet(job.values);
    case "storePets":
      return storePets(job.rows);
    case "raiseIds":
      // The sequence has no row before the first pet.
      if (!raiseSequence.run(job.id).changes) startSequence.run(job.id);
      return undefined;
    case "ping":
      return undefined;
  }
}

/** Stores all or nothing. */
function commit(batch: readonly Job[]): Reply {
  try {
    database.exec("BEGIN IMMEDIATE");
    const results = batch.map(run);
    database.exec("COMMIT");
    return { results, failure: undefined };
  } catch (error) {
    // After some failures, such as a full disk, SQLite has rolled back by itself.
    if (database.isTransaction) database.exec("ROLLBACK");
    const { message, errcode } = error as { message: string; errcode?: number };
    return { results: [], failure: { message, errcode } };
  }
}

port.on("message", (batch: readonly Job[] | "close") => {
  if (batch !== "close") return port.postMessage(commit(batch));
  try {
    // Moves every pet into the main file. The last connection to close would do so, but the driver keeps the reader open as
    // long as its statements are in memory.
    if (file.mayMake) database.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // The write-ahead log keeps them, e.g. if the disk is full.
  }
  port.close();
});
port.postMessage("open");
