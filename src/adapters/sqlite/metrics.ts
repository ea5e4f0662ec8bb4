import type { StorageReading } from "../../application/ports/storage-adapter.js";
import type { WriterGauges } from "./writer/gauges.js";

/** The metrics of the file and of the thread that writes to it. */
export function readingsOf(gauges: WriterGauges): readonly StorageReading[] {
  return [
    {
      name: "petstore_sqlite_commits_total",
      help: "Commits to SQLite that have ended.",
      type: "counter",
      read: () => gauges.commits,
    },
    {
      name: "petstore_sqlite_commit_seconds_total",
      help: "Time that commits to SQLite took, with the one that runs.",
      type: "counter",
      read: () => gauges.commitSeconds,
    },
    {
      name: "petstore_sqlite_slow_commits_total",
      help: "Commits to SQLite that have taken longer than a second, with the one that runs.",
      type: "counter",
      read: () => gauges.slowCommits,
    },
    {
      name: "petstore_sqlite_checkpoints_total",
      help: "Times that the write-ahead log of SQLite was moved to the database.",
      type: "counter",
      read: () => gauges.checkpoints,
    },
    {
      name: "petstore_sqlite_wal_bytes",
      help: "The size of the write-ahead log of SQLite after the last commit.",
      type: "gauge",
      // All processes have the same log.
      together: "max",
      read: () => gauges.walBytes,
    },
  ];
}
