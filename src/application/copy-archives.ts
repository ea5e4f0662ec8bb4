import { type Archives, type Comparison, compareArchives, type OnProgress } from "./compare-archives.js";
import { walkArchives } from "./walk-archives.js";

/** The comparison with an empty target. */
const NOTHING: Comparison = { seen: 0, verified: 0, missing: 0, firstMissing: 1n, different: 0, faults: [] };

/** Copies each repository exactly, with ids and records, or only compares it. The next copy resumes an interrupted one. */
export class CopyArchives {
  constructor(
    private readonly repositories: readonly Archives[],
    private readonly mayWrite: boolean,
    private readonly onProgress: OnProgress,
  ) {}

  /**
   * Resolves to what it `copied`, what was `present` in the target before, what is `verified` as equal at the end, what the
   * source stored `meanwhile`, which the target may lack, and to the `faults` that make the target no copy.
   *
   * @throws Error before the first write, if the target has something that the source lacks or has differently; PetConflict;
   * PetstoreError `storage_unavailable`
   */
  async execute() {
    const tasks: { archives: Archives; highestId: bigint; before: Comparison }[] = [];
    for (const archives of this.repositories) {
      const highestId = await archives[0].highestId();
      tasks.push({ archives, highestId, before: await this.inspect(archives) });
    }
    const report = { copied: 0, present: 0, verified: 0, meanwhile: 0, faults: [] as string[] };
    for (const { archives, highestId, before } of tasks) {
      const [source, target] = archives;
      const copied = this.mayWrite ? await this.storeMissing(archives, before) : 0;
      const after = this.mayWrite ? await compareArchives(archives, "verifying", this.onProgress) : before;
      // An id is assigned before its entity is stored, perhaps long before.
      let walked = 0;
      for await (const rows of walkArchives([source])) {
        walked += rows.length;
        this.onProgress("rechecking", walked, after.seen);
      }
      // The source may have assigned further ids meanwhile.
      if (this.mayWrite) await raiseIds(archives);
      const { verified, different, missing, firstMissing, faults } = after;
      // What the target lacks after a copy was created meanwhile, unless the target has lost something.
      const isLacking = this.mayWrite ? verified + different < before.verified + copied : missing > 0;
      if (isLacking)
        faults.push(`TO lacks ${missing} that FROM has; the first is ${source.name} ${firstMissing}`);
      if ((await target.highestId()) < highestId) faults.push("TO could reuse ids that FROM has assigned");
      report.copied += copied;
      report.present += before.verified;
      report.verified += verified;
      report.meanwhile += Math.max(0, walked - after.seen) + (isLacking ? 0 : missing);
      report.faults.push(...faults);
    }
    return report;
  }

  private async inspect(archives: Archives): Promise<Comparison> {
    if (!this.mayWrite) return compareArchives(archives, "verifying", this.onProgress);
    const [first] = await archives[1].read({ after: 0n, limit: 1 });
    if (!first) return NOTHING;
    const found = await compareArchives(archives, "comparing", this.onProgress);
    const [fault] = found.faults;
    if (fault) throw new Error(`TO may contain only what FROM has; ${fault}. Nothing was changed.`);
    return found;
  }

  private async storeMissing(archives: Archives, { verified, firstMissing }: Comparison): Promise<number> {
    // Before the first write, so that a service running on the target by mistake assigns none of the source's ids.
    await raiseIds(archives);
    if (firstMissing === undefined) return 0;
    const [source, target] = archives;
    const total = (await source.count()) - verified;
    let copied = 0;
    for await (const rows of walkArchives(archives, firstMissing - 1n)) {
      const missing = rows.flatMap(({ held: [left, right] }) => (left && !right ? [left] : []));
      if (missing.length > 0) await target.store(missing);
      copied += missing.length;
      this.onProgress("copying", copied, total);
    }
    return copied;
  }
}

async function raiseIds([source, target]: Archives): Promise<void> {
  await target.raiseIds(await source.highestId());
}
