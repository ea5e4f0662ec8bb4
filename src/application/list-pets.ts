import type { Pet, PetStatus } from "../domain/pet.js";
import { PAGE_LIMIT, type Page, readPage } from "./paging.js";
import type { PetRepository } from "./ports/pet-repository.js";

interface WantedPage {
  readonly limit?: number | undefined;
  readonly status?: PetStatus | undefined;
  /** The page begins after this id; at the first pet if it is undefined. */
  readonly after?: bigint | undefined;
}

/** Lists the catalogue page by page, in ascending order of id. */
export class ListPets {
  constructor(private readonly repository: PetRepository) {}

  /** @throws PetstoreError `invalid_parameter`, `storage_unavailable` */
  execute({ limit = PAGE_LIMIT.default, status, after = 0n }: WantedPage): Promise<Page<Pet>> {
    return readPage(limit, (most) => this.repository.list({ status, after, limit: most }));
  }
}
