/** The operations, which the router serves and the API document describes. */
export const ROUTES = {
  listPets: { operationId: "listPets", method: "GET", path: "/v1/pets" },
  createPet: { operationId: "createPet", method: "POST", path: "/v1/pets" },
  getPet: { operationId: "getPet", method: "GET", path: "/v1/pets/:petId" },
  getStoreOrders: { operationId: "getStoreOrders", method: "GET", path: "/v1/store/orders" },
} as const;

export type OperationId = keyof typeof ROUTES;

/** The methods of all operations, and the two that the service answers by itself. */
export const METHODS: readonly string[] = [
  ...new Set([...Object.values(ROUTES).map(({ method }) => method), "HEAD", "OPTIONS"]),
].sort();
