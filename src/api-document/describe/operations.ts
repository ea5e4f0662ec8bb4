import type { OperationId } from "../../adapters/http/operations/route-table.js";
import type { JsonObject } from "../json.js";
import { createPet } from "./create-pet.js";
import { getPet } from "./get-pet.js";
import { getStoreOrders } from "./get-store-orders.js";
import { listPets } from "./list-pets.js";

/**
 * What each operation is to its clients. The first paragraph of every description is the usual; what follows concerns
 * the careful, and the page folds it, an operation's by its headings.
 */
export const OPERATIONS: Readonly<Record<OperationId, JsonObject>> = {
  listPets,
  createPet,
  getPet,
  getStoreOrders,
};
