import { readFileSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { SEQUENCE_END } from "../../../../application/ports/pet-archive.js";
import { Sequence } from "./sequence.js";

/**
 * More ids than a power cut can take back: each process gives at most 1000 in a commit, and begins none before the last
 * one is on the disk.
 */
const SKIPPED = 100_000n;

/**
 * Skips ids if the machine has started again since the file was in use. Readers see a commit before it is on the disk:
 * a power cut may have taken back pets whose ids somebody has read, though no create was answered with them.
 */
export function skipLostIds(database: DatabaseSyncInstance): void {
  const boot = bootId();
  if (boot === undefined || lastBootOf(database) === boot) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have skipped the ids meanwhile. A file without a boot has no pet yet, or none from such a commit.
    const last = lastBootOf(database);
    if (last !== undefined && last !== boot) skip(new Sequence(database));
    // The table is no step of the schema: release 1.0.0 refuses a newer version, and must still open the file.
    database.exec(
      "CREATE TABLE IF NOT EXISTS petstore_boot (id TEXT NOT NULL) STRICT; DELETE FROM petstore_boot",
    );
    database.prepare("INSERT INTO petstore_boot VALUES (?)").run(boot);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function skip(sequence: Sequence): void {
  const skipped = sequence.last() + SKIPPED;
  if (skipped < SEQUENCE_END) sequence.set(skipped);
}

/** The boot in which the file was last in use; undefined if only release 1.0.0 has used it, or nobody. */
function lastBootOf(database: DatabaseSyncInstance): string | undefined {
  const { tables } = database
    .prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'petstore_boot'")
    .get();
  return tables === 0 ? undefined : database.prepare("SELECT id FROM petstore_boot").get()?.id;
}

/** Differs after each start of the machine (proc(5)); undefined elsewhere than on Linux. */
function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}
