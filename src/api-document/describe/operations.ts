import type { OperationId } from "../../adapters/http/operations/route-table.js";
import type { JsonObject } from "../json.js";
import { createPet } from "./create-pet.js";
import { getPet } from "./get-pet.js";
import { getStoreOrders } from "./get-store-orders.js";
import { listPets } from "./list-pets.js";

/**
 * Describes each operation to its clients. The first paragraph of every description has the usual case. The
 * page folds the rest, which is for careful readers; in an operation it folds part by part, by its headings.
 */
export const OPERATIONS: Readonly<Record<OperationId, JsonObject>> = {
  listPets,
  createPet,
  getPet,
  getStoreOrders,
};
