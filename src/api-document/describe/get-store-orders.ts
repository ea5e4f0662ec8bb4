import type { JsonObject } from "../json.js";
import { errorResponses } from "./error-responses.js";
import { ANY_OPERATION, success } from "./shared-parts.js";

export const getStoreOrders: JsonObject = {
  tags: ["Store"],
  summary: "List store orders",
  description:
    "Lists the orders of the store: an empty array, always empty, since no operation places an order.\n\n" +
    "### Beta\n\nThe shape of this operation may change. The documentation page has no test panel for it.",
  "x-stability": "beta",
  "x-hideTryItPanel": true,
  responses: {
    200: success("An empty list.", "Orders", { orders: { value: [] } }),
    ...errorResponses(ANY_OPERATION),
  },
};
