import type { Context, Operation } from "../context.js";
import { sendJson } from "../shared/send-json.js";

/** Beta: no operation places an order, so there are none. */
export function orderOperations(): Operation[] {
  const handle = (ctx: Context) => sendJson(ctx, "[]");
  return [{ id: "getStoreOrders", method: "get", path: "/v1/store/orders", handle }];
}
