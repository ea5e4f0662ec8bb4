import { ComparePets, type Comparison, type OnProgress } from "./compare-pets.js";
import { BATCH, pairPets } from "./paired-pets.js";
import type { ArchivedPet, PetArchive } from "./ports/pet-archive.js";

/** The comparison after the copy: missing pets were created in the source meanwhile. */
export interface CopyResult extends Comparison {
  readonly copied: number;
  /** Pets that the target already had. */
  readonly present: number;
  /** Whether nothing was written, because the target has pets that the source lacks or has differently. */
  readonly isRefused: boolean;
}

/** Copies every pet with its id and record. An interrupted copy is resumed by the next one. */
export class CopyPets {
  constructor(
    private readonly source: PetArchive,
    private readonly target: PetArchive,
    private readonly onProgress: OnProgress,
  ) {}

  /** @throws PetConflict, PetstoreError `storage_unavailable` */
  async execute(): Promise<CopyResult> {
    const comparison = new ComparePets(this.source, this.target, this.onProgress);
    const isEmpty = (await this.target.readPets({ after: 0n, limit: 1 })).length === 0;
    const before = isEmpty ? undefined : await comparison.execute("comparing");
    const present = before?.verified ?? 0;
    if (before?.different) return { ...before, copied: 0, present, isRefused: true };
    // Before the first pet, so that a service running on the target by mistake gives none of the source's ids.
    await this.target.raiseIds(await this.source.highestId());
    const copied = before?.missing === 0 ? 0 : await this.storeMissing(before?.firstMissing ?? 1n, present);
    const after = await comparison.execute();
    // The source may have given further ids meanwhile.
    await this.target.raiseIds(await this.source.highestId());
    return { ...after, idsBehind: false, copied, present, isRefused: false };
  }

  private async storeMissing(first: bigint, present: number): Promise<number> {
    const total = (await this.source.countPets()) - present;
    let batch: ArchivedPet[] = [];
    let copied = 0;
    const storeBatch = async () => {
      await this.target.storePets(batch);
      copied += batch.length;
      batch = [];
      this.onProgress("copying", copied, total);
    };
    for await (const { source, target } of pairPets(this.source, this.target, first - 1n)) {
      if (source && !target && batch.push(source) === BATCH) await storeBatch();
    }
    if (batch.length > 0) await storeBatch();
    return copied;
  }
}
