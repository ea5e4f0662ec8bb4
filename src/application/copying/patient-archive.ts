import { isPetstoreError } from "../../domain/errors.js";
import type { ArchivedPet, PetArchive } from "../ports/pet-archive.js";
import type { CopyObserver, Side } from "./copy-observer.js";

/** How many pets are read or stored at a time: the most that an archive takes. */
export const BATCH = 1000;

/** A batch is not made smaller than this, in pets. */
const SMALLEST = 10;

/** After so many batches in a row that went well, a batch that was made smaller grows again. */
const STEADY = 8;

/** A part of a catalogue, in ascending order of id. */
export interface Batch {
  readonly pets: readonly ArchivedPet[];
  /** Whether nothing comes after it. */
  readonly last: boolean;
}

/**
 * An archive that is asked again if it cannot be used now, with a smaller batch each time: one that takes too long for
 * the storage's own deadline looks the same as a storage that is away.
 */
export class PatientArchive {
  private limit = BATCH;
  private wentWell = 0;
  private answered = false;

  constructor(
    private readonly archive: PetArchive,
    private readonly side: Side,
    private readonly observer: CopyObserver,
  ) {}

  read(after: bigint, most: number): Promise<Batch> {
    return this.ask(async (archive) => {
      const limit = Math.min(this.limit, most);
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

  /** The two sides are compared in step: pets out of order would be taken for missing ones. */
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
