import type { Collection, Document } from "mongodb";
import { LAST_ID } from "../../domain/pet.js";
import { CODE, DatabaseError, hasCode } from "./errors.js";
import { type KeptDocument, readExactly } from "./reading.js";

/** How many ids a process reserves at a time. Those that it has left when it ends are never used. */
const BLOCK = 1000n;

const END = LAST_ID + 1n;

/** How often to try a reservation. Between two tries this process mends the counter. */
const ATTEMPTS = 3;

/** The document of `counters`. The driver reads an int64 as a number if that is exact, or else as a `Long`. */
export interface CounterDocument {
  readonly _id: string;
  /** The first id of the next block. */
  readonly next?: unknown;
}

/**
 * Gives ids out of blocks which this process reserves on a counter document. The counter is a hint: the
 * unique `_id` guarantees that an id is given once, whatever happens to the counter.
 */
export class Ids {
  /** Only rises, so that this process gives no id again whatever happens to the counter. */
  private next = 1n;
  private end = 1n;
  private counterIsBehind = false;
  private reserving: Promise<void> | undefined;
  private readonly counter: { readonly _id: string };

  constructor(
    private readonly counters: Collection<CounterDocument>,
    /** The documents that get the ids. Its name is that of the counter. */
    private readonly documents: Collection<KeptDocument>,
  ) {
    this.counter = { _id: documents.collectionName };
  }

  /**
   * Gives an id that no document has, as far as this process knows, and never gives it again.
   *
   * @throws DatabaseError if none is left
   */
  async take(): Promise<bigint> {
    while (this.next >= this.end) {
      this.reserving ??= this.reserve().finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    if (this.next >= END) throw new DatabaseError("no id is left below 2^53");
    return this.next++;
  }

  /** From now on this process gives only ids above `id`, and others do so from their next block on. */
  async raise(id: bigint): Promise<void> {
    // The counter was past all ids below `next` when this process reserved or raised them.
    if (id < this.next) return;
    await this.mendCounter(id + 1n);
    if (id >= this.next) this.next = id + 1n;
  }

  /** The highest id that was ever given or stored, or a higher one of a block that a process has reserved. */
  async highest(): Promise<bigint> {
    const given = (toId((await this.counters.findOne(this.counter))?.next) ?? 1n) - 1n;
    const stored = await this.highestStored();
    return given > stored ? given : stored;
  }

  /** Takes note of a given id that another document has: somebody has stored some, deleted the counter or set it back. */
  collided(id: bigint): void {
    // An id of an earlier block says nothing about this block.
    if (id < this.end - BLOCK || id >= this.end) return;
    this.next = this.end;
    this.counterIsBehind = true;
  }

  /** Makes the counter if it is missing, so that the first create has less to wait for. */
  async seed(): Promise<void> {
    if (!(await this.counters.findOne(this.counter))) await this.mendCounter();
  }

  private async reserve(): Promise<void> {
    if (this.counterIsBehind) await this.mendCounter();
    this.counterIsBehind = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const moved = { $inc: { next: BLOCK } } as Document;
      const start = toId((await this.counters.findOneAndUpdate(this.counter, moved))?.next);
      if (start !== undefined && start >= this.next) {
        this.next = start;
        this.end = start + BLOCK;
        return;
      }
      await this.mendCounter(this.next);
    }
    throw new DatabaseError(
      "the counter of ids is malformed again and again; which other program writes to counters?",
    );
  }

  /** Moves the counter up to `least`, and behind the highest stored id, if it is missing, not as far, or no integer. */
  private async mendCounter(least = 1n): Promise<void> {
    const stored = await this.highestStored();
    const next = stored < least ? least : stored + 1n;
    await this.counters.insertOne({ ...this.counter, next }).catch((error) => {
      if (!hasCode(error, CODE.DuplicateKey)) throw error;
    });
    const usable = { next: { $gte: next, $type: ["int", "long"] } };
    await this.counters.updateOne({ ...this.counter, $nor: [usable] } as Document, { $set: { next } });
  }

  /** The highest number below 2^53 that is an `_id`, of any type and rounded down; 0 if there is none. */
  private async highestStored(): Promise<bigint> {
    const [highest] = await readExactly(
      this.documents.find(
        { _id: { $lt: END } },
        { raw: true, sort: { _id: -1 }, limit: 1, projection: { _id: 1 } },
      ),
    );
    return BigInt(Math.max(0, Math.floor(Number(String(highest?._id ?? 0)))));
  }
}

/** Undefined if a value of the counter cannot be an id. */
function toId(value: unknown): bigint | undefined {
  const text = String(value);
  return /^[1-9]\d*$/.test(text) ? BigInt(text) : undefined;
}
