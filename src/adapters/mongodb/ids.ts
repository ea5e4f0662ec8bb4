import { LAST_ID } from "../../domain/id.js";
import { type Counted, READ, toBigInt } from "./documents.js";
import { SHARED_TIMEOUT, withTimeout } from "./with-timeout.js";

/** How many ids a process reserves at a time. Those that are left when it ends are never given. */
const BLOCK = 1000n;

/** Gives ids from blocks that are reserved on a counter document, which is a hint: the unique `_id` guarantees each id. */
export class Ids {
  private next = 1n;
  private end = 1n;
  private reserving: Promise<void> | undefined;

  async take(pair: Counted): Promise<bigint> {
    while (this.next >= this.end) {
      this.reserving ??= withTimeout(SHARED_TIMEOUT, this.reserve(pair)).finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    if (this.next > LAST_ID) throw new Error("no id is left below 2^53");
    return this.next++;
  }

  /** From now on this process gives only ids above `id`; others do from their next block on. */
  async raise(pair: Counted, id: bigint): Promise<void> {
    // The counter is past every id below `next`.
    if (id < this.next) return;
    await raiseCounter(pair, id);
    if (id >= this.next) this.next = id + 1n;
  }

  /** Skips the ids that another program has stored: the counter is behind them. */
  async skipStored(pair: Counted): Promise<void> {
    await this.raise(pair, await highestStored(pair));
  }

  /** The highest id that was given or stored, or a higher one of a block that is reserved. */
  async highest(pair: Counted): Promise<bigint> {
    const counter = await pair.counters.findOne(pair.counter, READ);
    const given = counter ? toBigInt(counter.next) - 1n : 0n;
    const stored = await highestStored(pair);
    return given > stored ? given : stored;
  }

  private async reserve(pair: Counted): Promise<void> {
    const move = { $inc: { next: BLOCK } };
    const counter = await pair.counters.findOneAndUpdate(pair.counter, move, { promoteLongs: false });
    // Then `take` reserves again; with an upsert FerretDB would give the same block twice.
    if (!counter) return raiseCounter(pair, await highestStored(pair));
    const start = toBigInt(counter.next);
    // Otherwise `take` reserves again: `raise` was faster.
    if (start >= this.next) [this.next, this.end] = [start, start + BLOCK];
  }
}

async function raiseCounter({ counters, counter }: Counted, id: bigint): Promise<void> {
  await counters.updateOne(counter, { $max: { next: id + 1n } }, { upsert: true });
}

async function highestStored({ items }: Counted): Promise<bigint> {
  const options = { ...READ, sort: { _id: -1 }, projection: { _id: 1 } } as const;
  const highest = await items.findOne({ _id: { $gt: 0n, $lte: LAST_ID } }, options);
  return highest ? toBigInt(highest._id) : 0n;
}
