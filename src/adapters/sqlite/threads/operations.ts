import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { APPLICATION_ID } from "../migrations.js";
import { petReads } from "./pet-reads.js";
import { petWrites } from "./pet-writes.js";

/** What each thread can do, by name. Each operation runs in a transaction that is open. */
export const OPERATIONS = {
  read: (database: DatabaseSyncInstance) => ({
    ...petReads(database),
    look: () => database.exec("SELECT 1 FROM sqlite_schema"),
  }),
  write: (database: DatabaseSyncInstance) => ({
    ...petWrites(database),
    /** A commit that writes nothing; after one that failed, a commit that writes what is there already. */
    look: (failed: boolean) => failed && database.exec(`PRAGMA application_id = ${APPLICATION_ID}`),
  }),
};

export type Access = keyof typeof OPERATIONS;
export type Operations<Name extends Access> = ReturnType<(typeof OPERATIONS)[Name]>;
export type AnyOperations = Record<string, (value: never) => unknown>;
