import { closeSync, fdatasyncSync, openSync, statSync } from "node:fs";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { sharedNow, type WriterGauges } from "../gauges.js";

/** The number of pages in the log at which to move them to the database; SQLite's own default. */
const CHECKPOINT_PAGES = 1000;

/**
 * How long the log grows between two looks at it, in milliseconds. A look costs a tenth of a commit of one
 * create.
 */
const LOOK_INTERVAL = 50;

/**
 * The write-ahead log, into which SQLite writes each commit. SQLite would bring a commit to the disk before it frees the
 * lock (`synchronous=FULL`), so that processes would wait for each other's fsync. This class brings it there afterwards.
 */
export class WriteAheadLog {
  private readonly path: string;
  private readonly selectPages: StatementSyncInstance;
  private readonly descriptor: number;
  /** Whether the log may have a gap on the disk: a start after a power cut would read no commit behind it. */
  private gap = false;
  private looked = Number.NEGATIVE_INFINITY;
  private grown = false;

  constructor(
    private readonly database: DatabaseSyncInstance,
    file: string,
    private readonly gauges: WriterGauges,
  ) {
    this.path = `${file}-wal`;
    // SQLite keeps the file for as long as this connection is open. Windows wants "r+" for a flush.
    this.descriptor = openSync(this.path, "r+");
    // A checkpoint waits for the disk twice, so it comes after the answers.
    database.exec("PRAGMA wal_autocheckpoint = 0");
    this.selectPages = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.measure();
  }

  /**
   * Brings all commits of all processes to the disk.
   *
   * @throws Error if the disk fails
   */
  sync(): void {
    this.grown = true;
    try {
      fdatasyncSync(this.descriptor);
    } catch (error) {
      // If the system has dropped pages that it could not write, it reports that only once.
      this.gap = true;
      throw error;
    }
  }

  /**
   * Closes a gap: brings every page to the database on the disk, and lets the next commit begin the log anew.
   *
   * @returns whether the log has no gap; false while another connection reads or writes, so that another try may help
   * @throws Error if the disk fails
   */
  closeGap(): boolean {
    if (!this.gap) return true;
    const { busy } = this.database.prepare("PRAGMA wal_checkpoint(RESTART)").get();
    if (busy) return false;
    this.gap = false;
    this.gauges.checkpointDone();
    return true;
  }

  /** In how many milliseconds to look at the log; not at all if it has not grown. */
  get untilLook(): number {
    return this.grown ? this.looked + LOOK_INTERVAL - sharedNow() : Number.POSITIVE_INFINITY;
  }

  /** Measures the log, and moves it to the database if it is long. */
  look(): void {
    this.measure();
    this.checkpointIfDue();
    this.looked = sharedNow();
    this.grown = false;
  }

  /** Moves the log to the database, so that a copy of the database alone is complete. */
  close(): void {
    try {
      this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: the pages stay in the -wal file, and the next start reads them.
    }
    closeSync(this.descriptor);
  }

  private measure(): void {
    this.gauges.walHas(statSync(this.path, { throwIfNoEntry: false })?.size ?? 0);
  }

  private checkpointIfDue(): void {
    try {
      if (this.selectPages.get().log < CHECKPOINT_PAGES) return;
      const { busy } = this.database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
      if (!busy) this.gauges.checkpointDone();
    } catch {
      // Nothing is lost: the pages stay in the log, and the next look tries again.
    }
  }
}
