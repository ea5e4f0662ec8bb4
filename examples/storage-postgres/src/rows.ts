import type { Pet } from "petstore/storage";

/** The columns of a pet under the names of its members: the driver's row then is a pet. */
export const PET = 'id, name, category_id AS "categoryId", status';

/** The columns of a pet, in the order of `PetRow`. */
export const COLUMNS = "id, name, category_id, status";

export type PetRow = [id: bigint, name: string, categoryId: bigint, status: Pet["status"]];

export function toPet([id, name, categoryId, status]: readonly [...PetRow, ...unknown[]]): Pet {
  return { id, name, categoryId, status };
}
