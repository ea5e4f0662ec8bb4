import type Router from "@koa/router";
import type { State } from "../context.js";
import { JSON_TYPE } from "../headers.js";
import type { Operate } from "../middleware/operate.js";

/** `GET /v1/store/orders`, beta: no operation places an order, so there are none. */
export function routeOrders(router: Router<State>, operate: Operate): void {
  router.get(
    "/v1/store/orders",
    operate("getStoreOrders", (ctx) => {
      ctx.set("Content-Type", JSON_TYPE);
      ctx.body = "[]";
    }),
  );
}
