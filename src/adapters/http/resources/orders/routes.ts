import { JSON_TYPE } from "../../answer/fixed-headers.js";
import type { Handler, Route } from "../../context.js";

/** `GET /v1/store/orders`, beta: no operation places an order, so there are none. */
const getStoreOrders: Handler = (ctx) => {
  ctx.set(JSON_TYPE);
  ctx.body = "[]";
};

export function orders(): Route[] {
  return [{ operationId: "getStoreOrders", method: "get", path: "/v1/store/orders", handle: getStoreOrders }];
}
