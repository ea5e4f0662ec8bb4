import type { Pet, PetStatus } from "../domain/pet.js";
import { PAGE_LIMIT, type Page, readPage } from "./paging.js";
import type { PetRepository } from "./ports/pet-repository.js";

interface PageRequest {
  readonly limit?: number | undefined;
  readonly status?: PetStatus | undefined;
  /** The page starts after this id; with the first pet if undefined. */
  readonly after?: bigint | undefined;
}

/** Lists the catalogue by pages, in ascending order of id. */
export class ListPets {
  constructor(private readonly repository: PetRepository) {}

  /** @throws PetstoreError `invalid_parameter`, `storage_unavailable` */
  execute({ limit = PAGE_LIMIT.default, status, after = 0n }: PageRequest): Promise<Page<Pet>> {
    return readPage(limit, (count) => this.repository.list({ status, after, limit: count }));
  }
}
