import { createHash } from "node:crypto";
import type { Collection, Document } from "mongodb";
import { type PetDocument, readExactly } from "./documents.js";
import { CODE, DatabaseError, hasCode } from "./errors.js";

/** How many ids are reserved at a time. Those that a process has left when it ends are never used. */
const BLOCK = 1000n;

/** Ids out of blocks are below; from here on, and below 2^53, they are made of idempotency keys. */
const KEYED = 2n ** 52n;

/** No block begins above. */
const LAST_START = KEYED - BLOCK;

/**
 * An id made of an idempotency key, for where keys cannot be kept unique otherwise: the same key meets the same
 * `_id`. Where that is another pet's, the next `attempt` (from 0) makes another one.
 */
export function idOfKey(key: string, attempt: number): bigint {
  const digest = createHash("sha256").update(`${attempt} ${key}`).digest();
  return KEYED + (digest.readBigUInt64BE() >> 12n);
}

/** How often a reservation is tried; between two tries the counter is mended. */
const ATTEMPTS = 3;

/** The one document of `counters`: where the next block begins. An int64 is read as a number if that is exact. */
export interface CounterDocument {
  readonly _id: string;
  readonly next: unknown;
}

const COUNTER = { _id: "pets" };

/**
 * Gives ids out of blocks which this process reserves on a counter document. The counter is a hint: that an id is
 * given once is guaranteed by the unique `_id`, whatever is done to the counter.
 */
export class PetIds {
  private next = 1n;
  private end = 1n;
  private counterIsBehind = false;
  private reserving: Promise<void> | undefined;

  constructor(
    private readonly counters: Collection<CounterDocument>,
    private readonly pets: Collection<PetDocument>,
  ) {}

  /** An id that no pet has, as far as this process knows. It is not given again. */
  async take(): Promise<bigint> {
    while (this.next === this.end) {
      this.reserving ??= this.reserve().finally(() => {
        this.reserving = undefined;
      });
      await this.reserving;
    }
    return this.next++;
  }

  /** To be told of an id that was taken and turned out to be another pet's: the counter was deleted or set back. */
  collided(id: bigint): void {
    // An id of an earlier block tells nothing about this one.
    if (id < this.end - BLOCK || id >= this.end) return;
    this.next = this.end;
    this.counterIsBehind = true;
  }

  /** Makes the counter where it is missing. */
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
      await this.mendCounter();
    }
    throw new DatabaseError(
      "the counter of pet ids is malformed again and again; what else writes to counters?",
    );
  }

  /** Moves the counter on by a block; answers where it was, or undefined where it is missing or no usable id. */
  private async advance(): Promise<bigint | undefined> {
    try {
      const counter = await this.counters.findOneAndUpdate(COUNTER, { $inc: { next: BLOCK } } as Document);
      return toStart(counter?.next);
    } catch (error) {
      if (hasCode(error, CODE.TypeMismatch)) return undefined;
      throw error;
    }
  }

  /** Puts the counter after the highest id there is; leaves it where it is further on already. */
  private async mendCounter(): Promise<void> {
    const next = (await this.highestId()) + 1n;
    await this.counters.insertOne({ ...COUNTER, next }).catch((error) => {
      if (!hasCode(error, CODE.DuplicateKey)) throw error;
    });
    const usable = { next: { $gte: next, $lte: LAST_START, $type: ["int", "long"] } };
    await this.counters.updateOne({ ...COUNTER, $nor: [usable] } as Document, { $set: { next } });
  }

  /** The highest number that is an `_id`, of any type and rounded down; 0 where there is none. */
  private async highestId(): Promise<bigint> {
    const [highest] = await readExactly(
      this.pets.find(
        { _id: { $lte: LAST_START } },
        { raw: true, sort: { _id: -1 }, limit: 1, projection: { _id: 1 } },
      ),
    );
    return BigInt(Math.max(0, Math.floor(Number(String(highest?._id ?? 0)))));
  }
}

function toStart(next: unknown): bigint | undefined {
  if (!Number.isSafeInteger(next)) return undefined;
  const start = BigInt(next as number);
  return start >= 1n && start <= LAST_START ? start : undefined;
}
