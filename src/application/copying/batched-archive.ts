import { isPetstoreError } from "../../domain/errors.js";
import type { ArchivedPet, PetArchive } from "../ports/pet-archive.js";
import type { CopyObserver, Side } from "./copy-observer.js";

/** How many pets to read or store at a time: the most that an archive takes. */
export const BATCH = 1000;

/** The smallest batch, in pets. */
const SMALLEST = 10;

/** After so many good batches in a row a reduced batch grows again. */
const STEADY = 8;

/** A part of a catalogue, in ascending order of id. */
export interface Batch {
  readonly pets: readonly ArchivedPet[];
  /** Whether it is the last part. */
  readonly last: boolean;
}

/**
 * Asks an archive again if that cannot be used now, with a smaller batch each time: a batch that takes longer
 * than the storage's deadline looks the same as a storage that is away.
 */
export class BatchedArchive {
  private limit = BATCH;
  private wentWell = 0;
  private answered = false;

  constructor(
    private readonly archive: PetArchive,
    private readonly side: Side,
    private readonly observer: CopyObserver,
  ) {}

  read(after: bigint): Promise<Batch> {
    return this.ask(async (archive) => {
      const { limit } = this;
      const pets = await archive.readPets({ after, limit });
      this.requireOrder(after, pets);
      return { pets, last: pets.length < limit };
    });
  }

  async store(pets: readonly ArchivedPet[]): Promise<void> {
    let stored = 0;
    while (stored < pets.length) {
      stored += await this.ask(async (archive) => {
        const batch = pets.slice(stored, stored + this.limit);
        await archive.storePets(batch);
        return batch.length;
      });
    }
  }

  async ask<Result>(question: (archive: PetArchive) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await question(this.archive);
        this.answered = true;
        if (attempt > 1) this.observer.back(this.side);
        if (++this.wentWell % STEADY === 0) this.limit = Math.min(BATCH, this.limit * 2);
        return result;
      } catch (error) {
        if (!isPetstoreError(error) || error.code !== "storage_unavailable") throw error;
        this.wentWell = 0;
        this.limit = Math.max(SMALLEST, Math.floor(this.limit / 2));
        await this.observer.away(this.side, { attempt, answered: this.answered, error });
      }
    }
  }

  /**
   * Checks the order of pets: the comparison goes through both sides in step, and would miss a pet out of
   * order.
   */
  private requireOrder(after: bigint, pets: readonly ArchivedPet[]): void {
    let last = after;
    for (const { pet } of pets) {
      if (pet.id <= last) {
        throw new Error(`The ${this.side} gives its pets out of order: ${pet.id} after ${last}.`);
      }
      last = pet.id;
    }
  }
}
