import type { StorageReading } from "../../../storages/storage-adapter.js";

/** A commit that takes longer than this counts as slow, in milliseconds. */
const SLOW = 1000;

/** Counts commits for the metrics. */
export class Commits {
  private ended = 0;
  private time = 0;
  private slow = 0;
  private began: number | undefined;

  begin(): void {
    this.began = performance.now();
  }

  /** Gives the time that the commit took, in milliseconds. */
  end(): number {
    const taken = this.running;
    this.began = undefined;
    this.ended++;
    this.time += taken;
    if (taken > SLOW) this.slow++;
    return taken;
  }

  /** How long the running commit has taken, in milliseconds; 0 if none runs. */
  get running(): number {
    return this.began === undefined ? 0 : performance.now() - this.began;
  }

  readonly readings: readonly StorageReading[] = [
    {
      name: "petstore_sqlite_commits_total",
      help: "Commits to SQLite that have ended.",
      type: "counter",
      read: () => this.ended,
    },
    {
      name: "petstore_sqlite_commit_seconds_total",
      help: "Time that commits to SQLite took, with the one that runs.",
      type: "counter",
      read: () => (this.time + this.running) / 1000,
    },
    {
      name: "petstore_sqlite_slow_commits_total",
      help: "Commits to SQLite that have taken longer than a second, with the one that runs.",
      type: "counter",
      read: () => this.slow + (this.running > SLOW ? 1 : 0),
    },
  ];
}
