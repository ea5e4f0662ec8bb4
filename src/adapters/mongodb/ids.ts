import { LAST_ID } from "../../domain/id.js";
import { type CollectionPair, READ, toBigInt } from "./collection-pair.js";
import { withTimeout } from "./with-timeout.js";

/** How many ids a process reserves at a time. Those that are left when it ends are never given. */
const BLOCK = 1000n;

/** How long a reservation may take, in milliseconds; driver 7.8 may wait for ever at a socket that just closed. */
const TIMEOUT = 4000;

/** Gives ids from blocks that are reserved on a counter document, which is a hint: the unique `_id` guarantees each id. */
export class Ids {
  private next = 1n;
  private end = 1n;
  private isCounterBehind = false;
  private reserving: Promise<void> | undefined;

  async take(pair: CollectionPair): Promise<bigint> {
    while (this.next >= this.end) {
      this.reserving ??= withTimeout(TIMEOUT, this.reserve(pair)).finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    if (this.next > LAST_ID) throw new Error("no id is left below 2^53");
    return this.next++;
  }

  /** From now on this process gives only ids above `id`; others do from their next block on. */
  async raise(pair: CollectionPair, id: bigint): Promise<void> {
    // The counter is past every id below `next`.
    if (id < this.next) return;
    await this.raiseCounterPast(pair, id);
    if (id >= this.next) this.next = id + 1n;
  }

  /** Drops the block of an id that another program has stored: the counter is behind that. */
  collided(id: bigint): void {
    if (id < this.end - BLOCK || id >= this.end) return;
    this.next = this.end;
    this.isCounterBehind = true;
  }

  /** The highest id that was given or stored, or a higher one of a block that is reserved. */
  async highest(pair: CollectionPair): Promise<bigint> {
    const counter = await pair.counters.findOne(counterOf(pair), READ);
    const given = counter ? toBigInt(counter.next) - 1n : 0n;
    const stored = await highestStored(pair);
    return given > stored ? given : stored;
  }

  private async reserve(pair: CollectionPair): Promise<void> {
    if (this.isCounterBehind) await this.raiseCounterPast(pair, await highestStored(pair));
    const move = { $inc: { next: BLOCK } };
    const counter = await pair.counters.findOneAndUpdate(counterOf(pair), move, { promoteLongs: false });
    this.isCounterBehind = !counter;
    const start = counter ? toBigInt(counter.next) : 0n;
    // Otherwise `take` reserves again: there is no counter yet, or `raise` was faster.
    if (start >= this.next) [this.next, this.end] = [start, start + BLOCK];
  }

  private async raiseCounterPast(pair: CollectionPair, id: bigint): Promise<void> {
    await pair.counters.updateOne(counterOf(pair), { $max: { next: id + 1n } }, { upsert: true });
  }
}

function counterOf({ resource }: CollectionPair) {
  return { _id: resource.name };
}

async function highestStored({ items }: CollectionPair): Promise<bigint> {
  const options = { ...READ, sort: { _id: -1 }, projection: { _id: 1 } } as const;
  const highest = await items.findOne({ _id: { $gt: 0n, $lte: LAST_ID } }, options);
  return highest ? toBigInt(highest._id) : 0n;
}
