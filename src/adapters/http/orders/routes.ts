import type { Operation } from "../context.js";

/** Beta: no operation places an order, so there are none. */
export function orderOperations(): Operation[] {
  return [{ id: "getStoreOrders", method: "get", path: "/v1/store/orders", handle: () => "[]" }];
}
