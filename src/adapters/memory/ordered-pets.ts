import type { Pet } from "../../domain/pet.js";

/** Pets in ascending order of id. */
export class OrderedPets {
  private readonly pets: Pet[] = [];

  get size(): number {
    return this.pets.length;
  }

  get(id: bigint): Pet | undefined {
    // While the ids have no gap, the pet with id n is at index n - 1.
    const guess = this.pets[Number(id) - 1];
    if (guess?.id === id) return guess;
    const found = this.pets[this.indexAfter(id - 1n)];
    return found?.id === id ? found : undefined;
  }

  after(id: bigint, limit: number): Pet[] {
    const start = this.indexAfter(id);
    return this.pets.slice(start, start + limit);
  }

  /** Adds a pet with an id that is new. */
  add(pet: Pet): void {
    const last = this.pets.at(-1);
    if (last === undefined || last.id < pet.id) this.pets.push(pet);
    else this.pets.splice(this.indexAfter(pet.id), 0, pet);
  }

  /** The index of the first pet whose id is greater. */
  private indexAfter(id: bigint): number {
    let low = 0;
    let high = id <= 0n ? 0 : this.pets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.pets[middle] as Pet).id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
