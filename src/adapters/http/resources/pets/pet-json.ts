import type { Pet } from "../../../../domain/pet.js";

// This module writes JSON by hand, because a generic serializer has no exact int64.

const texts = new WeakMap<Pet, string>();

/** The JSON text of a pet. */
export function petJson({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** The JSON text of a stored pet. Keeps the text of a frozen pet, which nobody can change. */
export function storedPetJson(pet: Pet): string {
  let text = texts.get(pet);
  if (text === undefined) {
    text = petJson(pet);
    if (Object.isFrozen(pet)) texts.set(pet, text);
  }
  return text;
}

/** The JSON text of a list of pets. */
export function petsJson(pets: readonly Pet[]): string {
  let text = "";
  for (const pet of pets) text += (text === "" ? "[" : ",") + storedPetJson(pet);
  return text === "" ? "[]" : `${text}]`;
}
