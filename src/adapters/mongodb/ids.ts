import { LAST_ID } from "../../domain/pet.js";
import { READ, TIMEOUTS, withTimeout } from "./connection.js";
import { type Database, toBigInt } from "./documents.js";

/** How many ids a process reserves at a time. Unused ids are lost when it ends. */
const BLOCK = 1000n;

/** The document of `counters` that counts the ids of pets. */
const COUNTER = { _id: "pets" };

/** Assigns ids in blocks from a counter document, which is a hint: the unique `_id` guarantees each id. */
export class Ids {
  private next = 1n;
  private end = 1n;
  private reserving: Promise<void> | undefined;

  async take(database: Database): Promise<bigint> {
    while (this.next >= this.end) {
      this.reserving ??= withTimeout(TIMEOUTS.shared, this.reserve(database)).finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    if (this.next > LAST_ID) throw new Error("no id is left below 2^53");
    return this.next++;
  }

  /** Makes this process assign only ids above `id`; others follow from their next block on. */
  async raise(database: Database, id: bigint): Promise<void> {
    // The counter is past every id below `next`.
    if (id < this.next) return;
    await raiseCounter(database, id);
    if (id >= this.next) this.next = id + 1n;
  }

  private async reserve(database: Database): Promise<void> {
    const counter = await database.counters.findOneAndUpdate(COUNTER, { $inc: { next: BLOCK } });
    // `take` then reserves again; with an upsert FerretDB would assign the same block twice.
    if (!counter) return raiseCounter(database, await highestId(database));
    const start = toBigInt(counter.next);
    // If `raise` was faster, `take` reserves again.
    if (start >= this.next) [this.next, this.end] = [start, start + BLOCK];
  }
}

/** Resolves to the highest id that was assigned or stored, or to the last id of a reserved block. */
export async function highestId({ counters, pets }: Database): Promise<bigint> {
  const counter = await counters.findOne(COUNTER, READ);
  const reserved = counter ? toBigInt(counter.next) - 1n : 0n;
  const options = { ...READ, sort: { _id: -1 }, projection: { _id: 1 } } as const;
  const document = await pets.findOne({ _id: { $gt: reserved, $lte: LAST_ID } }, options);
  return document ? toBigInt(document._id) : reserved;
}

async function raiseCounter({ counters }: Database, id: bigint): Promise<void> {
  await counters.updateOne(COUNTER, { $max: { next: id + 1n } }, { upsert: true });
}
