import type { Archive, Stored } from "./archives.js";
import { walkArchives } from "./walk-archives.js";

/** The archives of one repository. */
export type Archives = readonly [source: Archive, target: Archive];

/** Called for every batch; `total` is an estimate. */
export type OnProgress = (phase: string, done: number, total: number) => void;

export type Comparison = Awaited<ReturnType<typeof compareArchives>>;

/**
 * Counts what the source has (`seen`), what both have (`verified`), only the source (`missing`), or only the target or
 * differently (`different`). `faults` names the first ten of the last; messages call the source FROM, and the target TO.
 */
export async function compareArchives(archives: Archives, phase: string, onProgress: OnProgress) {
  const [source] = archives;
  const total = await source.count();
  const faults: string[] = [];
  let firstMissing: bigint | undefined;
  let [seen, verified, missing, different] = [0, 0, 0, 0];
  for await (const rows of walkArchives(archives)) {
    for (const { id, held } of rows) {
      const [left, right] = held;
      if (left) seen++;
      const difference = left && right ? findDifference(left, right) : "is in TO but not in FROM";
      if (!right) {
        missing++;
        firstMissing ??= id;
      } else if (!difference) verified++;
      else if (++different <= 10) faults.push(`${source.name} ${id} ${difference}`);
    }
    onProgress(phase, seen, total);
  }
  if (different > 10) faults.push(`${different - 10} more differ`);
  return { seen, verified, missing, firstMissing, different, faults };
}

function findDifference(left: Stored, right: Stored): string | undefined {
  const [source, target]: Record<string, unknown>[] = [{ ...left.item }, { ...right.item }];
  const member = Object.keys({ ...source, ...target }).find((name) => source?.[name] !== target?.[name]);
  if (member) return `differs in its ${member}`;
  const isSameRecord =
    left.record?.key === right.record?.key && left.record?.fingerprint === right.record?.fingerprint;
  return isSameRecord ? undefined : "differs in its record";
}
