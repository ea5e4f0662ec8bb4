import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Guard } from "./guard.js";

/** A repository whose operations are guarded, each under its name in the metrics. */
export function guardPets(pets: PetRepository, guard: Guard): PetRepository {
  const runCreate = guard.write("create");
  const runGet = guard.read("get");
  const runList = guard.read("list");
  return {
    create: (pet, record) => runCreate(() => pets.create(pet, record)),
    get: (id) => runGet(() => pets.get(id)),
    list: (range) => runList(() => pets.list(range)),
  };
}
