import type { Archive, Archived } from "./archives.js";

/** How many entities to read or store at once: an archive's maximum. */
const BATCH = 1000;

/** What each archive has under one id; at least one has something. */
interface Row {
  readonly id: bigint;
  readonly held: readonly (Archived | undefined)[];
}

/** Reads archives side by side, in ascending order of id. Yields at most a batch of each at once. */
export async function* walkArchives(archives: readonly Archive[], start = 0n): AsyncGenerator<Row[]> {
  for (let after: bigint | undefined = start; after !== undefined; ) {
    const { rows, end } = await readRows(archives, after);
    yield rows;
    after = end;
  }
}

async function readRows(archives: readonly Archive[], after: bigint) {
  const pages = await Promise.all(archives.map((archive) => archive.read({ after, limit: BATCH })));
  // An archive may hold more after a full page, so that later ids of the others wait for the next read.
  const [end] = pages.flatMap((page) => page[BATCH - 1]?.entity.id ?? []).sort(ascending);
  const maps = pages.map((page) => new Map(page.map((archived) => [archived.entity.id, archived])));
  const ids = [...new Set(maps.flatMap((map) => [...map.keys()]))].sort(ascending);
  const rows = ids
    .filter((id) => end === undefined || id <= end)
    .map((id) => ({ id, held: maps.map((map) => map.get(id)) }));
  return { rows, end };
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);
