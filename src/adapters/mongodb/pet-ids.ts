import { createHash } from "node:crypto";
import type { Collection, Document } from "mongodb";
import { SEQUENCE_END } from "../../application/ports/pet-archive.js";
import { type PetDocument, readExactly } from "./documents.js";
import { CODE, DatabaseError, hasCode, NoIdLeftError } from "./errors.js";

/** How many ids a process reserves at a time. Those that it has left when it ends are never used. */
const BLOCK = 1000n;

/** The highest first id of a block. Ids from `SEQUENCE_END` to 2^53 are derived from idempotency keys. */
const LAST_START = SEQUENCE_END - BLOCK;

/** How many ids a key can have. A create takes the next of them only if another pet has the one before. */
const IDS_OF_KEY = 8;

/**
 * Derives an id from an idempotency key, for collections that cannot keep keys unique otherwise: the same key
 * meets the same `_id`. If another pet has that id, the next `attempt` (from 0) gives another one.
 */
export function idOfKey(key: string, attempt: number): bigint {
  const digest = createHash("sha256").update(`${attempt} ${key}`).digest();
  return SEQUENCE_END + (digest.readBigUInt64BE() >> 12n);
}

export function isIdOfKey(id: bigint, key: string): boolean {
  for (let attempt = 0; attempt < IDS_OF_KEY; attempt++) if (idOfKey(key, attempt) === id) return true;
  return false;
}

/** How often to try a reservation. Between two tries this process mends the counter. */
const ATTEMPTS = 3;

/** A document of `counters`. The driver reads an int64 as a number if that is exact. */
export interface CounterDocument {
  readonly _id: string;
  /** The first id of the next block. */
  readonly next?: unknown;
  /** No process gives an id up to this one, since `raiseIds` or `storePets` has received it. */
  readonly raised?: unknown;
  /** The text of the mark. */
  readonly text?: unknown;
}

const COUNTER = { _id: "pets" };

/**
 * Gives ids out of blocks which this process reserves on a counter document. The counter is a hint: the
 * unique `_id` guarantees that an id is given once, whatever happens to the counter.
 */
export class PetIds {
  private next = 1n;
  private end = 1n;
  /** This process gives no id up to `floor`. The database knows of this up to `raised`. */
  private floor = 0n;
  private raised = 0n;
  private counterIsBehind = false;
  private reserving: Promise<void> | undefined;

  constructor(
    private readonly counters: Collection<CounterDocument>,
    private readonly pets: Collection<PetDocument>,
  ) {}

  /** Gives an id that no pet has, as far as this process knows, and never gives it again. */
  async take(): Promise<bigint> {
    for (;;) {
      if (this.next <= this.floor) this.next = this.floor < this.end ? this.floor + 1n : this.end;
      if (this.next < this.end) return this.next++;
      this.reserving ??= this.reserve().finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
  }

  /** From now on this process gives only ids above `id`, and others do so from their next block on. */
  async raise(id: bigint): Promise<void> {
    if (id <= this.raised) return;
    if (id > this.floor) this.floor = id;
    const change = { $max: { next: id + 1n, raised: id } } as Document;
    const { matchedCount } = await this.counters.updateOne(COUNTER, change);
    if (matchedCount === 0) {
      await this.mendCounter();
      await this.counters.updateOne(COUNTER, change);
    }
    if (id > this.raised) this.raised = id;
  }

  /**
   * The highest id below 2^52 that was ever given or stored; or a higher one, if no process will give an id up to it.
   */
  async highest(): Promise<bigint> {
    const counter = await this.counters.findOne(COUNTER);
    const given = (toInteger(counter?.next) ?? 1n) - 1n;
    const raised = toInteger(counter?.raised) ?? 0n;
    const stored = await this.highestStored();
    return [given, raised, stored].reduce((one, other) => (one > other ? one : other));
  }

  /** Takes note of a given id that another pet has: somebody has deleted the counter or set it back. */
  collided(id: bigint): void {
    // An id of an earlier block says nothing about this block.
    if (id < this.end - BLOCK || id >= this.end) return;
    this.next = this.end;
    this.counterIsBehind = true;
  }

  /** Makes the counter if it is missing. */
  async seed(): Promise<void> {
    if (!(await this.counters.findOne(COUNTER))) await this.mendCounter();
  }

  private async reserve(): Promise<void> {
    if (this.counterIsBehind) await this.mendCounter();
    this.counterIsBehind = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const start = await this.advance();
      if (start !== undefined) {
        this.next = start;
        this.end = start + BLOCK;
        return;
      }
      if ((await this.mendCounter()) > LAST_START) throw new NoIdLeftError("no id is left below 2^52");
    }
    throw new DatabaseError(
      "the counter of pet ids is malformed again and again; which other program writes to counters?",
    );
  }

  /** Moves the counter by a block. Resolves to its old value; undefined if it is missing or unusable. */
  private async advance(): Promise<bigint | undefined> {
    try {
      const counter = await this.counters.findOneAndUpdate(COUNTER, { $inc: { next: BLOCK } } as Document);
      const start = toInteger(counter?.next);
      const raised = toInteger(counter?.raised) ?? 0n;
      return start !== undefined && start > raised && start <= LAST_START ? start : undefined;
    } catch (error) {
      if (hasCode(error, CODE.TypeMismatch)) return undefined;
      throw error;
    }
  }

  /** Moves the counter behind the highest stored or raised id. Resolves to the first free id. */
  private async mendCounter(): Promise<bigint> {
    const raised = toInteger((await this.counters.findOne(COUNTER))?.raised) ?? 0n;
    const stored = await this.highestStored();
    const next = (raised > stored ? raised : stored) + 1n;
    await this.counters.insertOne({ ...COUNTER, next }).catch((error) => {
      if (!hasCode(error, CODE.DuplicateKey)) throw error;
    });
    const usable = { next: { $gte: next, $lte: LAST_START, $type: ["int", "long"] } };
    await this.counters.updateOne({ ...COUNTER, $nor: [usable] } as Document, { $set: { next } });
    return next;
  }

  /** The highest number below 2^52 that is an `_id`, of any type and rounded down; 0 if there is none. */
  private async highestStored(): Promise<bigint> {
    const [highest] = await readExactly(
      this.pets.find(
        { _id: { $lt: SEQUENCE_END } },
        { raw: true, sort: { _id: -1 }, limit: 1, projection: { _id: 1 } },
      ),
    );
    return BigInt(Math.max(0, Math.floor(Number(String(highest?._id ?? 0)))));
  }
}

/** Undefined if a number in `counters` cannot be an id. */
function toInteger(value: unknown): bigint | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 1 ? BigInt(value as number) : undefined;
}
