import { PetstoreError } from "../../domain/errors.js";
import type { PetRepository } from "../ports/pet-repository.js";

/** Refuses creates for as long as the operator wants the service read-only; everything else goes on. */
export interface ReadOnlyPets extends PetRepository {
  /** Whether creates are refused, and no create that began before is still under way. */
  isReadOnly(): boolean;
}

/** @param isWanted the operator's switch answers, from `src/adapters/switches` */
export function readOnlyPets(pets: PetRepository, isWanted: () => boolean): ReadOnlyPets {
  let creating = 0;
  return {
    isReadOnly: () => isWanted() && creating === 0,
    async create(pet, record) {
      if (isWanted()) {
        throw new PetstoreError(
          "storage_unavailable",
          "The service is read-only for now, since its operator has turned creates off; try again later.",
        );
      }
      creating++;
      try {
        return await pets.create(pet, record);
      } finally {
        creating--;
      }
    },
    get: (id) => pets.get(id),
    list: (range) => pets.list(range),
    ping: () => pets.ping(),
    close: () => pets.close(),
  };
}
