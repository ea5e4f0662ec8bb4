import { type Archives, BATCH, type Pair, walkArchives } from "./walk-archives.js";

/** Called every thousand entities; `total` is an estimate. */
export type OnProgress = (phase: string, done: number, total: number) => void;

/** What has been seen of every resource. */
export class Comparison {
  /** Equal on both sides, records included. */
  verified = 0;
  /** Only in the source. */
  missing = 0;
  firstMissing: Omit<Difference, "in"> | undefined;
  /** Different, or only in the target. */
  different = 0;
  /** The first ten of them. */
  readonly differences: Difference[] = [];
  /** Stored in the source after the comparison had passed their ids. */
  late = 0;
  /** Whether the target could assign an id that the source had assigned before the comparison. */
  idsBehind = false;
}

interface Difference {
  /** What messages call an entity of this resource. */
  readonly name: string;
  readonly id: bigint;
  /** The member that differs; `target` if only that has the entity. */
  readonly in: string;
}

/** Compares each resource. Writes nothing. */
export class CompareArchives {
  constructor(
    private readonly resources: readonly Archives[],
    private readonly onProgress: OnProgress,
  ) {}

  async execute(): Promise<Comparison> {
    const comparison = new Comparison();
    for (const archives of this.resources) await verify(archives, comparison, this.onProgress);
    return comparison;
  }
}

/** Compares, and walks the source once more: an id is assigned before its entity is stored, perhaps long before. */
export async function verify(archives: Archives, comparison: Comparison, onProgress: OnProgress) {
  const [source, target] = archives;
  const highestId = await source.highestId();
  const seen = await compare(archives, comparison, "verifying", onProgress);
  let walked = 0;
  for (let after: bigint | undefined = 0n; after !== undefined; ) {
    const page = await source.read({ after, limit: BATCH });
    after = page[BATCH - 1]?.entity.id;
    walked += page.length;
    onProgress("rechecking", walked, seen);
  }
  comparison.late += Math.max(0, walked - seen);
  comparison.idsBehind ||= (await target.highestId()) < highestId;
}

/** Adds to a comparison. Resolves to the number of entities that the source has. */
export async function compare(archives: Archives, into: Comparison, phase: string, onProgress: OnProgress) {
  const [source] = archives;
  const { name } = source;
  const total = await source.count();
  let [walked, seen] = [0, 0];
  await walkArchives(archives, 0n, async (pairs) => {
    for (const pair of pairs) {
      const { id } = pair;
      if (pair.source) seen++;
      const member = differingMember(archives, pair);
      if (!pair.target) {
        into.missing++;
        into.firstMissing ??= { name, id };
      } else if (!member) into.verified++;
      else if (++into.different <= 10) into.differences.push({ name, id, in: member });
    }
    walked += pairs.length;
    onProgress(phase, walked, total);
  });
  return seen;
}

function differingMember([archive]: Archives, { source, target }: Pair): string | undefined {
  if (!source || !target) return "target";
  const [left, right] = [source.record, target.record];
  const isSameRecord = left?.key === right?.key && left?.fingerprint === right?.fingerprint;
  return archive.differingMember(source.entity, target.entity) ?? (isSameRecord ? undefined : "record");
}
