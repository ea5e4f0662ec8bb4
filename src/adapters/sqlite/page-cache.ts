import type { PetRange } from "../../application/ports/pet-repository.js";
import type { Pet } from "../../domain/pet.js";

/** How many pages to keep: about 17 MB, JSON included, if all are full and have the longest names. */
const MAX_PAGES = 64;

/**
 * Keeps full pages that were read from the file. No create changes a full page: no pet changes, and new pets get higher
 * ids. But another program may change anything, and `data_version` does not tell whose commit it was: each commit to the
 * file, also one of this process, empties the cache.
 */
export class PageCache {
  private readonly pages = new Map<string, readonly Pet[]>();
  private version: unknown;

  /**
   * The pets of a range. Calls `read` if it has not kept them.
   *
   * @param version the `data_version` of the file
   */
  list(range: PetRange, version: unknown, read: (range: PetRange) => Pet[]): Pet[] {
    if (version !== this.version) this.pages.clear();
    this.version = version;
    const key = `${range.after} ${range.limit} ${range.status}`;
    const known = this.pages.get(key);
    if (known) return known.slice();
    const pets = read(range);
    if (pets.length === range.limit) this.remember(key, pets.map(Object.freeze) as Pet[]);
    return pets;
  }

  private remember(key: string, pets: readonly Pet[]): void {
    const [oldest] = this.pages.keys();
    if (oldest !== undefined && this.pages.size === MAX_PAGES) this.pages.delete(oldest);
    this.pages.set(key, pets);
  }
}
