import { differingMember } from "../../application/copying/difference.js";
import {
  type ArchivedPet,
  type PetArchive,
  PetConflict,
  SEQUENCE_END,
} from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";
import { OrderedPets } from "./ordered-pets.js";

const LAST_ID = 2n ** 53n - 1n;

/** Keeps pets in this process for as long as it lives: for tests, and for catalogues that may be lost. */
export class MemoryPetRepository implements PetRepository, PetArchive {
  /** Pets and their records are frozen, so that callers may get them without a copy. */
  private readonly all = new OrderedPets();
  private readonly byStatus: Record<PetStatus, OrderedPets> = {
    available: new OrderedPets(),
    pending: new OrderedPets(),
    sold: new OrderedPets(),
  };
  private readonly byKey = new Map<string, Pet>();
  private readonly records = new Map<Pet, IdempotencyRecord>();
  private lastId = 0n;
  private mark: string | undefined;

  async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const earlier = record && this.byKey.get(record.key);
    if (earlier) return { pet: earlier, replayed: this.records.get(earlier)?.fingerprint };
    let id = this.lastId + 1n;
    // Ids between `lastId` and SEQUENCE_END are free. From SEQUENCE_END on, `storePets` may have used some.
    while (id >= SEQUENCE_END && this.all.get(id)) id++;
    if (id > LAST_ID) throw storageUnavailable(new Error("No id is left below 2^53."));
    const pet: Pet = Object.freeze({ id, name, categoryId, status });
    this.lastId = id;
    this.all.add(pet);
    this.byStatus[status].add(pet);
    if (record) this.keep(pet, record);
    return { pet, replayed: undefined };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    return this.all.get(id);
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return (status ? this.byStatus[status] : this.all).after(after, limit);
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.all.after(after, limit).map((pet) => ({ pet, record: this.records.get(pet) }));
  }

  async storePets(archived: readonly ArchivedPet[]): Promise<void> {
    const missing = archived.filter((one) => !this.has(one));
    const keys = new Set<string>();
    for (const { pet, record } of missing) {
      if (record && keys.size === keys.add(record.key).size) throw new PetConflict(pet.id);
    }
    const pets = missing.map(({ pet: { id, name, categoryId, status }, record }) => {
      const pet = Object.freeze({ id, name, categoryId, status });
      if (record) this.keep(pet, record);
      return pet;
    });
    this.all.add(...pets);
    for (const [status, ordered] of Object.entries(this.byStatus)) {
      ordered.add(...pets.filter((pet) => pet.status === status));
    }
    for (const { id } of pets) if (id < SEQUENCE_END) await this.raiseIds(id);
  }

  async countPets(): Promise<number> {
    return this.all.size;
  }

  async highestId(): Promise<bigint> {
    return this.lastId;
  }

  async raiseIds(id: bigint): Promise<void> {
    if (id > this.lastId) this.lastId = id;
  }

  async writeMark(mark: string | undefined): Promise<void> {
    this.mark = mark;
  }

  async readMark(): Promise<string | undefined> {
    return this.mark;
  }

  private keep(pet: Pet, { key, fingerprint }: IdempotencyRecord): void {
    this.byKey.set(key, pet);
    this.records.set(pet, Object.freeze({ key, fingerprint }));
  }

  /**
   * Whether the same pet is stored with the same record. @throws PetConflict if its id or key has another pet
   */
  private has(archived: ArchivedPet): boolean {
    const { pet, record } = archived;
    const stored = this.all.get(pet.id);
    if (!stored && !(record && this.byKey.has(record.key))) return false;
    if (stored && !differingMember({ pet: stored, record: this.records.get(stored) }, archived)) return true;
    throw new PetConflict(pet.id);
  }
}
