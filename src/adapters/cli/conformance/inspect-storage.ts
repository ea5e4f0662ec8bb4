import { asArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { Storages } from "../program.js";
import type { Sight } from "./process-messages.js";
import { ReadCounter } from "./read-counter.js";

/**
 * Opens a storage to see whether it is empty and what it offers. Stores nothing in it. `conformance.ts` refuses one
 * that is not empty.
 */
export async function inspectStorage(url: string, storages: Storages): Promise<Sight> {
  const readings = new ReadCounter();
  const pets = await storages.openStorage(url, readings.context);
  const empty = await isEmpty(pets);
  const archive = asArchive(pets) !== undefined;
  await pets.close();
  return { empty, archive, petsRead: readings.petsRead() !== undefined };
}

export async function isEmpty(pets: PetRepository): Promise<boolean> {
  return (await pets.list({ status: undefined, after: 0n, limit: 1 })).length === 0;
}
