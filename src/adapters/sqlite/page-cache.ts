import type { PetRange } from "../../application/ports/pet-repository.js";
import type { Pet } from "../../domain/pet.js";

/** How many pages are kept; with the most pets each can hold and the longest names, about 17 MB with their JSON. */
const MAX_PAGES = 64;

/**
 * Keeps pages that were read from the file. A full page never changes: no pet ever does, and new ones get higher ids
 * than it holds. So it stays good until another program has written to the file, which may have done anything.
 */
export class PageCache {
  private readonly pages = new Map<string, readonly Pet[]>();
  private version: unknown;

  /**
   * The pets of a range, read by `read` where they are not kept.
   *
   * @param version of the file, as its `data_version` tells it
   */
  list(range: PetRange, version: unknown, read: (range: PetRange) => Pet[]): Pet[] {
    if (version !== this.version) this.pages.clear();
    this.version = version;
    const key = `${range.after} ${range.limit} ${range.status}`;
    const known = this.pages.get(key);
    if (known) return known.slice();
    const pets = read(range);
    if (pets.length === range.limit) this.keep(key, pets.map(Object.freeze) as Pet[]);
    return pets;
  }

  private keep(key: string, pets: readonly Pet[]): void {
    const [oldest] = this.pages.keys();
    if (oldest !== undefined && this.pages.size === MAX_PAGES) this.pages.delete(oldest);
    this.pages.set(key, pets);
  }
}
