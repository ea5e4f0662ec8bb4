import type { Operation } from "../operations.js";

/** Beta: no operation places an order, so there are none. */
export const getStoreOrders: Operation = {
  id: "getStoreOrders",
  method: "get",
  path: "/v1/store/orders",
  handle: () => "[]",
};
