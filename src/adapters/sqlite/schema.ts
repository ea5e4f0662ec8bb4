import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Marks a file as ours ("pets" in ASCII). */
const APPLICATION_ID = 0x70657473;

/** The schema version of a file, in its `user_version`; undefined if it is empty. @throws Error if it is not ours, or newer */
export function versionOf(database: DatabaseSyncInstance, latest: number): number | undefined {
  // One statement for a consistent snapshot: another process may be creating the tables.
  const [tables, application, version] = database
    .prepare(
      `SELECT (SELECT count(*) FROM sqlite_schema), application_id, user_version
       FROM pragma_application_id, pragma_user_version`,
    )
    .get();
  if (application === 0 && tables === 0) return undefined;
  if (application !== APPLICATION_ID) {
    throw new Error(
      "it belongs to another program, or was restored from a .dump, which drops the schema version; check the path, or " +
        "restore a .backup instead.",
    );
  }
  if (version > latest) {
    throw new Error(
      `its schema version is ${version}, this version supports only ${latest}; upgrade petstore.`,
    );
  }
  return version;
}

/** Runs the steps that a file lacks, unless another process has. */
export function upgrade(database: DatabaseSyncInstance, steps: readonly string[]): void {
  database.exec("BEGIN IMMEDIATE");
  const missing = steps.slice(versionOf(database, steps.length) ?? 0);
  if (missing.length > 0) {
    missing.push(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}`);
    database.exec(missing.join(";\n"));
  }
  database.exec("COMMIT");
}
