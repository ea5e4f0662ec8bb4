import type { Db } from "mongodb";
import { LAST_ID } from "../../domain/pet.js";
import { SHARED_TIMEOUT, withTimeout } from "./connection.js";
import { type Named, READ, type Stored, toBigInt } from "./documents.js";

/** How many ids a process reserves at a time. Those that are left when it ends are never given. */
const BLOCK = 1000n;

/** Gives ids from blocks that are reserved on a counter document, which is a hint: the unique `_id` guarantees each id. */
export class Ids {
  private next = 1n;
  private end = 1n;
  private reserving: Promise<void> | undefined;

  /** @param name of the collection, and of its counter */
  constructor(private readonly name: string) {}

  async take(db: Db): Promise<bigint> {
    while (this.next >= this.end) {
      this.reserving ??= withTimeout(SHARED_TIMEOUT, this.reserve(db)).finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    if (this.next > LAST_ID) throw new Error("no id is left below 2^53");
    return this.next++;
  }

  /** From now on this process gives only ids above `id`; others do from their next block on. */
  async raise(db: Db, id: bigint): Promise<void> {
    // The counter is past every id below `next`.
    if (id < this.next) return;
    await this.raiseCounter(db, id);
    if (id >= this.next) this.next = id + 1n;
  }

  /** The highest id that was given or stored, or a higher one of a block that is reserved. */
  async highest(db: Db): Promise<bigint> {
    const counter = await counters(db).findOne({ _id: this.name }, READ);
    const given = counter ? toBigInt(counter.next) - 1n : 0n;
    return this.highestStored(db, given);
  }

  private async reserve(db: Db): Promise<void> {
    const move = { $inc: { next: BLOCK } };
    const counter = await counters(db).findOneAndUpdate({ _id: this.name }, move, { promoteLongs: false });
    // Then `take` reserves again; with an upsert FerretDB would give the same block twice.
    if (!counter) return this.raiseCounter(db, await this.highestStored(db, 0n));
    const start = toBigInt(counter.next);
    // Otherwise `take` reserves again: `raise` was faster.
    if (start >= this.next) [this.next, this.end] = [start, start + BLOCK];
  }

  private async raiseCounter(db: Db, id: bigint): Promise<void> {
    await counters(db).updateOne({ _id: this.name }, { $max: { next: id + 1n } }, { upsert: true });
  }

  /** At least `least`. */
  private async highestStored(db: Db, least: bigint): Promise<bigint> {
    const page = { ...READ, sort: { _id: -1 }, projection: { _id: 1 } } as const;
    const item = await db.collection<Stored>(this.name).findOne({ _id: { $gt: least, $lte: LAST_ID } }, page);
    return item ? toBigInt(item._id) : least;
  }
}

const counters = (db: Db) => db.collection<Named>("counters");
