import { PetstoreError } from "../domain/errors.js";
import type { PetStatus } from "../domain/pet.js";
import type { PetRepository } from "./ports/pet-repository.js";

export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const;

interface PageRequest {
  readonly limit?: number | undefined;
  readonly status?: PetStatus | undefined;
  /** The page starts after this id; with the first pet if undefined. */
  readonly after?: bigint | undefined;
}

/** Lists the catalogue by pages, in ascending order of id. */
export class ListPets {
  constructor(private readonly repository: PetRepository) {}

  /**
   * `next` is the id after which the next page starts; undefined on the last page.
   *
   * @throws PetstoreError `invalid_parameter`, `storage_unavailable`
   */
  async execute({ limit = PAGE_LIMIT.default, status, after = 0n }: PageRequest) {
    const { min, max } = PAGE_LIMIT;
    if (!Number.isInteger(limit) || limit < min || limit > max) {
      throw new PetstoreError("invalid_parameter", `limit must be an integer from ${min} to ${max}.`);
    }
    // One extra pet tells whether there is a next page.
    const found = await this.repository.list({ status, after, limit: limit + 1 });
    const pets = found.slice(0, limit);
    return { pets, next: found.length > limit ? pets.at(-1)?.id : undefined };
  }
}
