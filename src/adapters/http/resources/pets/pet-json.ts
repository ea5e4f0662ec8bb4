import type { Pet } from "../../../../domain/pet.js";

// This module writes JSON by hand, because a generic serializer has no exact int64.

/** The JSON text of a pet. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** The JSON text of a list of pets. */
export function petsJson(pets: readonly Pet[]): string {
  return `[${pets.map(petJson).join()}]`;
}
