import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";

/** Keeps pets in this process, for as long as it lives: for tests, and for catalogues that may be lost. */
export class MemoryPetRepository implements PetRepository {
  /** Every pet in order of id: the pet with id n is at n - 1. The pets are frozen, so they may be handed out. */
  private readonly all: Pet[] = [];
  private readonly byStatus: Record<PetStatus, Pet[]> = { available: [], pending: [], sold: [] };
  private readonly byIdempotencyKey = new Map<string, { fingerprint: string; pet: Pet }>();

  async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const earlier = record && this.byIdempotencyKey.get(record.key);
    if (earlier) return { pet: earlier.pet, replayed: earlier.fingerprint };
    const pet: Pet = Object.freeze({ id: BigInt(this.all.length + 1), name, categoryId, status });
    this.all.push(pet);
    this.byStatus[status].push(pet);
    if (record) this.byIdempotencyKey.set(record.key, { fingerprint: record.fingerprint, pet });
    return { pet, replayed: undefined };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    return this.all[Number(id) - 1];
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    const pets = status ? this.byStatus[status] : this.all;
    const start = indexAfter(pets, after);
    return pets.slice(start, start + limit);
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}

/** The index of the first pet whose id is greater; `pets` are in ascending order of id. */
function indexAfter(pets: readonly Pet[], id: bigint): number {
  let low = 0;
  let high = id <= 0n ? 0 : pets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pets[middle] as Pet).id <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
