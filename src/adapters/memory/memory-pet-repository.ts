import { isDeepStrictEqual } from "node:util";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import { LAST_ID } from "../../domain/id.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";
import { Ordered } from "./ordered.js";

/** Keeps pets in this process. Returned pets are frozen, so they need no copy. */
export class MemoryPetRepository implements PetRepository, PetArchive {
  private readonly all = new Ordered<Pet>();
  private readonly byStatus: Record<PetStatus, Ordered<Pet>> = {
    available: new Ordered(),
    pending: new Ordered(),
    sold: new Ordered(),
  };
  private readonly byKey = new Map<string, Pet>();
  private readonly records = new Map<Pet, IdempotencyRecord>();
  private lastId = 0n;

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const earlier = record && this.byKey.get(record.key);
    if (earlier) return { pet: earlier, earlierFingerprint: this.records.get(earlier)?.fingerprint };
    const id = this.lastId + 1n;
    if (id > LAST_ID) throw storageUnavailable(new Error("No id is left below 2^53."));
    return { pet: this.store(id, pet, record), earlierFingerprint: undefined };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    return this.all.get(id);
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return (status ? this.byStatus[status] : this.all).after(after, limit);
  }

  async readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.all.after(after, limit).map((pet) => ({ pet, record: this.records.get(pet) }));
  }

  async storePets(pets: readonly ArchivedPet[]): Promise<void> {
    for (const { pet, record } of pets) {
      const stored = this.all.get(pet.id);
      if (stored && isDeepStrictEqual([stored, this.records.get(stored)], [pet, record])) continue;
      if (stored || (record && this.byKey.has(record.key))) throw new PetConflict(pet.id);
      this.store(pet.id, pet, record);
    }
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

  private store(id: bigint, { name, categoryId, status }: NewPet, record?: IdempotencyRecord): Pet {
    const pet = Object.freeze({ id, name, categoryId, status });
    this.all.add(pet);
    this.byStatus[status].add(pet);
    if (record) {
      const { key, fingerprint } = record;
      this.byKey.set(key, pet);
      this.records.set(pet, Object.freeze({ key, fingerprint }));
    }
    if (id > this.lastId) this.lastId = id;
    return pet;
  }
}
