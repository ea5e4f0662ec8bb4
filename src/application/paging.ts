import { PetstoreError } from "../domain/errors.js";

/** How many items a page holds. */
export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The id after which the next page starts; undefined on the last page. */
  readonly next: bigint | undefined;
}

/**
 * Reads a page of a list in ascending order of id.
 *
 * @param list reads up to that many items
 * @throws PetstoreError `invalid_parameter`
 */
export async function readPage<Item extends { readonly id: bigint }>(
  limit: number,
  list: (count: number) => Promise<Item[]>,
): Promise<Page<Item>> {
  const { min, max } = PAGE_LIMIT;
  if (!Number.isInteger(limit) || limit < min || limit > max) {
    throw new PetstoreError("invalid_parameter", `limit must be an integer from ${min} to ${max}.`);
  }
  // One extra item tells whether there is a next page.
  const found = await list(limit + 1);
  if (found.length <= limit) return { items: found, next: undefined };
  const items = found.slice(0, limit);
  return { items, next: items[limit - 1]?.id };
}
