import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { Sequence } from "./sequence.js";

/** More ids than can be lost: each process gives at most 1000 in a commit, and brings one commit at a time to the disk. */
const SKIPPED = 100_000n;

/** Whether a write-ahead log is there that no process has closed. Ask before the database is opened. */
export function isLogLeft(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Skips ids if the machine has started again since the file was in use. Readers see a commit before it is on the disk:
 * a power cut may have taken back pets whose ids somebody has read, though no create was answered with them.
 */
export function skipLostIds(database: DatabaseSyncInstance, logLeft: boolean): void {
  const boot = bootId();
  if (bootOf(database) === boot) return;
  database.exec("BEGIN IMMEDIATE");
  // Another process may have done so meanwhile.
  if (logLeft && bootOf(database) !== boot) {
    const sequence = new Sequence(database);
    sequence.set(sequence.last() + SKIPPED);
  }
  database.exec("DROP TABLE IF EXISTS boot; CREATE TABLE boot (id TEXT NOT NULL) STRICT");
  database.prepare("INSERT INTO boot VALUES (?)").run(boot);
  database.exec("COMMIT");
}

/** The boot in which the file was last in use. */
function bootOf(database: DatabaseSyncInstance): string | undefined {
  const { tables } = database
    .prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'boot'")
    .get();
  return tables === 0 ? undefined : database.prepare("SELECT id FROM boot").get()?.id;
}

/** Differs after each start of the machine (proc(5)); elsewhere than on Linux, after each start of the program. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return randomUUID();
  }
}
