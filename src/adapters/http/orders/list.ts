import type { Operation } from "../operations.js";

/** Beta: the list is empty, since no operation places an order. */
export const getStoreOrders: Operation = {
  id: "getStoreOrders",
  method: "get",
  path: "/v1/store/orders",
  handle: () => "[]",
};
