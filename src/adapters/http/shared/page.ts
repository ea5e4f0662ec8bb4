import * as v from "valibot";
import type { Page } from "../../../application/paging.js";
import type { Context } from "../context.js";
import { wholeNumber } from "../json/read-input.js";
import { type CursorScope, encodeCursor } from "./cursor.js";

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

/** Returns the JSON of a page and, unless it is the last one, sets the `Link` to the next (RFC 8288). */
export function writePage<Item>(
  ctx: Context,
  { items, next }: Page<Item>,
  toJson: (item: Item) => string,
  { origin, limit, filter, scope }: NextPage,
): string {
  if (next !== undefined) {
    let query = `limit=${limit}`;
    for (const [name, value] of Object.entries(filter)) {
      if (value !== undefined) query += `&${name}=${encodeURIComponent(value)}`;
    }
    ctx.set("Link", `<${origin}${ctx.path}?${query}&cursor=${encodeCursor(next, scope)}>; rel="next"`);
  }
  return `[${items.map(toJson).join()}]`;
}
