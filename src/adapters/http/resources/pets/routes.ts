import type { CreatePet } from "../../../../application/create-pet.js";
import type { GetPet } from "../../../../application/get-pet.js";
import type { ListPets } from "../../../../application/list-pets.js";
import type { Deprecation, Route } from "../../context.js";
import { createPet, getPet, listPets, removedGetPet } from "./handlers.js";
import { NewPetSchema } from "./schemas.js";

interface PetUseCases {
  readonly listPets: ListPets;
  readonly createPet: CreatePet;
  readonly getPet: GetPet;
}

/** getPet, from the first release on; the contract says when it goes. Never change either. */
const DEPRECATED: Deprecation = {
  since: "@1795219200",
  sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
  successor: "/v1/pets?status=available",
};

/**
 * The operations on pets.
 *
 * @param origin of absolute links, without a slash at the end; if it is empty, links are relative
 * @param getPetServed whether the service still serves getPet; if not, it answers 410
 */
export function pets(useCases: PetUseCases, origin: string, getPetServed: boolean): Route[] {
  return [
    { operationId: "listPets", method: "get", path: "/v1/pets", handle: listPets(useCases.listPets, origin) },
    {
      operationId: "createPet",
      method: "post",
      path: "/v1/pets",
      body: NewPetSchema,
      handle: createPet(useCases.createPet),
    },
    {
      operationId: "getPet",
      method: "get",
      path: "/v1/pets/:petId",
      handle: getPetServed ? getPet(useCases.getPet) : removedGetPet,
      deprecated: DEPRECATED,
    },
  ];
}
