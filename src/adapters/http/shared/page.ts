import * as v from "valibot";
import type { Page } from "../../../application/paging.js";
import type { Context } from "../context.js";
import { wholeNumber } from "../json/read-input.js";
import { type CursorScope, encodeCursor } from "./cursor.js";
import { sendJson } from "./send-json.js";

/** The query parameters of every list. */
export const limit = v.exactOptional(wholeNumber);
export const cursor = v.exactOptional(v.string());

interface NextPage {
  /** Precedes the path of the list. */
  readonly origin: string;
  readonly limit: number;
  readonly filter: Readonly<Record<string, string | undefined>>;
  readonly scope: CursorScope;
}

/** Responds with a page of a list and, unless it is the last one, the `Link` to the next (RFC 8288). */
export function sendPage<Item>(
  ctx: Context,
  { items, next }: Page<Item>,
  toJson: (item: Item) => string,
  { origin, limit, filter, scope }: NextPage,
): void {
  if (next !== undefined) {
    let query = `limit=${limit}`;
    for (const [name, value] of Object.entries(filter)) {
      if (value !== undefined) query += `&${name}=${encodeURIComponent(value)}`;
    }
    ctx.set("Link", `<${origin}${ctx.path}?${query}&cursor=${encodeCursor(next, scope)}>; rel="next"`);
  }
  sendJson(ctx, `[${items.map(toJson).join()}]`);
}
