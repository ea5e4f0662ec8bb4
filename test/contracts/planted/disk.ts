import { storageUnavailable } from "../../../src/domain/errors.js";

export interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: "available" | "pending" | "sold";
  readonly key: string | undefined;
  readonly fingerprint: string | undefined;
}

/** A made-up database, which outlives the instances that use it. */
export class Disk {
  rows: Row[] = [];
  lastId = 0n;
  mark: string | undefined;
  away = false;
  /** How many rows the storage has read. */
  rowsRead = 0;
  private turn: Promise<unknown> = Promise.resolve();

  /** Does the work once all earlier work is done, as a transaction does. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.turn.then(async () => {
      this.check();
      await pause();
      return work();
    });
    this.turn = done.catch(() => undefined);
    return done;
  }

  check(): void {
    if (this.away) throw storageUnavailable(new Error("away"));
  }

  /** Reads in order of id by an index, and no more rows than it answers. */
  select(where: (row: Row) => boolean, limit: number): Row[] {
    const found = this.rows
      .filter(where)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    this.rowsRead += found.length;
    return found;
  }
}

/** Lets other tasks go first. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
