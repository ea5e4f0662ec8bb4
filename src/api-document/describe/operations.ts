import type { OperationId } from "../../adapters/http/operations/route-table.js";
import type { JsonObject } from "../json.js";
import { createPet } from "./create-pet.js";
import { getPet } from "./get-pet.js";
import { getStoreOrders } from "./get-store-orders.js";
import { listPets } from "./list-pets.js";

/**
 * Describes each operation to its clients. The first paragraph of every description has the usual; the rest
 * is for careful readers, and the page folds it, an operation's by its headings.
 */
export const OPERATIONS: Readonly<Record<OperationId, JsonObject>> = {
  listPets,
  createPet,
  getPet,
  getStoreOrders,
};
