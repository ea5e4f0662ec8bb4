import { Comparison, compare, type OnProgress, verify } from "./compare-archives.js";
import { type Archives, walkArchives } from "./walk-archives.js";

/** The comparison after the copy: what is missing was created in the source meanwhile, unless the target has lost it. */
export interface CopyResult extends Comparison {
  readonly copied: number;
  /** In the target before the copy. */
  readonly present: number;
  /** Whether nothing was written, because the target has something that the source lacks or has differently. */
  readonly isRefused: boolean;
}

/** Copies each resource exactly, with ids and records. An interrupted copy is resumed by the next one. */
export class CopyArchives {
  constructor(
    private readonly resources: readonly Archives[],
    private readonly onProgress: OnProgress,
  ) {}

  /** @throws PetConflict, PetstoreError `storage_unavailable` */
  async execute(): Promise<CopyResult> {
    const checked: { archives: Archives; before: Comparison | undefined }[] = [];
    for (const archives of this.resources) {
      const before = await this.compareUnlessEmpty(archives);
      if (before?.different) return { ...before, copied: 0, present: before.verified, isRefused: true };
      checked.push({ archives, before });
    }
    const after = new Comparison();
    let [copied, present] = [0, 0];
    for (const { archives, before } of checked) {
      // Before the first write, so that a service running on the target by mistake assigns none of the source's ids.
      await raiseIds(archives);
      copied += await this.storeMissing(archives, before);
      present += before?.verified ?? 0;
      await verify(archives, after, this.onProgress);
      // The source may have assigned further ids meanwhile.
      await raiseIds(archives);
    }
    return { ...after, idsBehind: false, copied, present, isRefused: false };
  }

  private async compareUnlessEmpty(archives: Archives): Promise<Comparison | undefined> {
    const [, target] = archives;
    if ((await target.read({ after: 0n, limit: 1 })).length === 0) return undefined;
    const comparison = new Comparison();
    await compare(archives, comparison, "comparing", this.onProgress);
    return comparison;
  }

  private async storeMissing(archives: Archives, before: Comparison | undefined): Promise<number> {
    if (before?.missing === 0) return 0;
    const [source, target] = archives;
    const total = (await source.count()) - (before?.verified ?? 0);
    let copied = 0;
    await walkArchives(archives, (before?.firstMissing?.id ?? 1n) - 1n, async (pairs) => {
      const missing = pairs.flatMap((pair) => (pair.source && !pair.target ? [pair.source] : []));
      if (missing.length > 0) await target.store(missing);
      copied += missing.length;
      this.onProgress("copying", copied, total);
    });
    return copied;
  }
}

async function raiseIds([source, target]: Archives): Promise<void> {
  await target.raiseIds(await source.highestId());
}
