import type { PetRepository } from "./pet-repository.js";

/** Runs an operation of a repository, and does something before or after it. */
type Around = <Result>(
  operation: Exclude<keyof PetRepository, "close">,
  run: () => Promise<Result>,
) => Promise<Result>;

/** Makes a repository of another one: each of its operations goes through `around`, and `close` does not. */
export function aroundOperations(pets: PetRepository, around: Around): PetRepository {
  return {
    create: (pet, record) => around("create", () => pets.create(pet, record)),
    get: (id) => around("get", () => pets.get(id)),
    list: (range) => around("list", () => pets.list(range)),
    ping: () => around("ping", () => pets.ping()),
    close: () => pets.close(),
  };
}
