import type { Archive, Archived } from "./archives.js";

/** How many entities to read or store at once: an archive's maximum. */
export const BATCH = 1000;

/** The archives of one resource. */
export type Archives = readonly [source: Archive, target: Archive];

/** What both archives hold under one id; at least one of them holds something. */
export interface Pair {
  readonly id: bigint;
  readonly source: Archived | undefined;
  readonly target: Archived | undefined;
}

/** Visits both archives in step, in ascending order of id. The next pairs are read while some are visited. */
export async function walkArchives(
  archives: Archives,
  after: bigint,
  visit: (pairs: readonly Pair[]) => Promise<void>,
): Promise<void> {
  let { pairs, next } = await readPairs(archives, after);
  while (next !== undefined) {
    [, { pairs, next }] = await Promise.all([visit(pairs), readPairs(archives, next)]);
  }
  await visit(pairs);
}

/** Reads a page of both, up to the id where the shorter one ends, which is `next`; undefined at the end of both. */
async function readPairs(archives: Archives, after: bigint) {
  const read = (archive: Archive) => archive.read({ after, limit: BATCH });
  const pages = await Promise.all([read(archives[0]), read(archives[1])]);
  const [next] = pages.flatMap((page) => page[BATCH - 1]?.entity.id ?? []).sort(ascending);
  const byId = (page: readonly Archived[]) => new Map(page.map((archived) => [archived.entity.id, archived]));
  const [sources, targets] = [byId(pages[0]), byId(pages[1])];
  const ids = [...new Set([...sources.keys(), ...targets.keys()])].sort(ascending);
  const pairs = ids
    .filter((id) => next === undefined || id <= next)
    .map((id): Pair => ({ id, source: sources.get(id), target: targets.get(id) }));
  return { pairs, next };
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);
