import { encodeCursor } from "./cursor.js";

/**
 * The `Link` header of a page that another one follows (RFC 8288).
 *
 * @param list the path of the list; an origin before it makes the link absolute
 * @param parameters those of the page, without its cursor; undefined ones are left out
 */
export function nextLink(
  list: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
  next: bigint,
  filter: number,
): string {
  let query = "";
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query += `${name}=${value}&`;
  return `<${list}?${query}cursor=${encodeCursor(next, filter)}>; rel="next"`;
}
