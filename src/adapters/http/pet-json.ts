import type { Pet } from "../../domain/pet.js";

// Written by hand because a generic serializer has no exact int64.

const texts = new WeakMap<Pet, string>();

/** The JSON text of a pet. That of a frozen pet, which nobody can change, is kept as long as the pet. */
export function petJson(pet: Pet): string {
  const known = texts.get(pet);
  if (known !== undefined) return known;
  const { id, name, categoryId, status } = pet;
  const text = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
  if (Object.isFrozen(pet)) texts.set(pet, text);
  return text;
}

/** The JSON text of a list of pets. */
export function petsJson(pets: readonly Pet[]): string {
  return `[${pets.map(petJson).join(",")}]`;
}
