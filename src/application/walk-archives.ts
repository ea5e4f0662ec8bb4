import type { Archive, Stored } from "./archives.js";

/** How many items to read or store at once: an archive's maximum. */
const BATCH = 1000;

/** What each archive has under one id; at least one has something. */
interface Row {
  readonly id: bigint;
  readonly held: readonly (Stored | undefined)[];
}

/** Reads archives side by side, in ascending order of id. Yields at most a batch of each at once. */
export async function* walkArchives(archives: readonly Archive[], start = 0n): AsyncGenerator<Row[]> {
  for (let after: bigint | undefined = start; after !== undefined; ) {
    const range = { after, limit: BATCH };
    const pages: Stored[][] = await Promise.all(archives.map((archive) => archive.read(range)));
    const maps = pages.map((page) => new Map(page.map((stored) => [stored.item.id, stored])));
    const ids = [...new Set(maps.flatMap((map) => [...map.keys()]))].sort(ascending);
    // An archive may hold more after a full page, so that later ids of the others wait for the next read.
    const [end] = pages.flatMap((page) => page[BATCH - 1]?.item.id ?? []).sort(ascending);
    const complete = ids.filter((id) => end === undefined || id <= end);
    yield complete.map((id) => ({ id, held: maps.map((map) => map.get(id)) }));
    after = end;
  }
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);
