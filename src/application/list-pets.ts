import { PetstoreError } from "../domain/errors.js";
import type { Pet, PetStatus } from "../domain/pet.js";
import type { PetRepository } from "./ports/pet-repository.js";

/** How many pets a page holds. */
export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const;

interface ListPetsQuery {
  readonly limit?: number | undefined;
  readonly status?: PetStatus | undefined;
  /** The page begins after this id; at the first pet if it is undefined. */
  readonly after?: bigint | undefined;
}

interface Page {
  readonly pets: readonly Pet[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: bigint | undefined;
}

/** Lists the catalogue page by page, in ascending order of id. */
export class ListPets {
  constructor(private readonly repository: PetRepository) {}

  /** @throws PetstoreError `invalid_parameter`, `storage_unavailable` */
  async execute({ limit = PAGE_LIMIT.default, status, after = 0n }: ListPetsQuery): Promise<Page> {
    if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
      const { min, max } = PAGE_LIMIT;
      throw new PetstoreError("invalid_parameter", `limit must be an integer from ${min} to ${max}.`);
    }
    // One more than is shown tells whether there is a next page.
    const found = await this.repository.list({ status, after, limit: limit + 1 });
    if (found.length <= limit) return { pets: found, next: undefined };
    const pets = found.slice(0, limit);
    return { pets, next: pets[limit - 1]?.id };
  }
}
