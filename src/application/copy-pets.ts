import type { ArchivedPet, PetArchive } from "./ports/pet-archive.js";

/** Pets per call: the maximum of an archive. */
const BATCH = 1000;

/** Maximum number of differing pets that `faults` name. */
const NAMED = 10;

/** Runs after every batch; `total` is an estimate. */
export type OnProgress = (phase: string, done: number, total: number) => void;

/** Counts pets that are `equal`, `missing` in TO, or `different` (also those that exist only in TO). */
class Comparison {
  equal = 0;
  missing = 0;
  firstMissing: bigint | undefined;
  different = 0;
  /** Describes the first `NAMED` different pets. */
  readonly faults: string[] = [];
}

/** Copies pets exactly, with ids and records, or only compares. Messages call the sides FROM and TO. */
export class CopyPets {
  constructor(
    private readonly source: PetArchive,
    private readonly target: PetArchive,
    private readonly mayWrite: boolean,
    private readonly onProgress: OnProgress,
  ) {}

  /**
   * Resolves to counts: `copied`, `present` in TO before, `verified` as equal, and `meanwhile`, created in
   * FROM during the copy and missing in TO; and to `faults`, why TO is not a copy. A repeated copy resumes.
   *
   * @throws Error before the first write if TO contains a pet that FROM lacks or that differs; PetConflict;
   * PetstoreError `storage_unavailable`
   */
  async execute() {
    const highestId = await this.source.highestId();
    const filled = this.mayWrite ? await this.fill() : undefined;
    const compared = await this.walk("verifying");
    // Ids are reserved before they are stored, so pets may appear behind a walk; the last walk decides.
    const { equal, missing, firstMissing, different, faults } = await this.walk("rechecking");
    // FROM may have assigned more ids during the copy.
    if (this.mayWrite) await this.target.raiseIds(await this.source.highestId());

    const { copied, present } = filled ?? { copied: 0, present: compared.equal };
    // Anything that a copy lacks was created meanwhile, unless TO has lost pets.
    const hasLost = compared.equal + compared.different < copied + present;
    const isIncomplete = missing > 0 && compared.missing > 0 && (hasLost || !this.mayWrite);
    const isReusing = (await this.target.highestId()) < highestId;
    if (different > NAMED) faults.push(`${different - NAMED} more differ`);
    if (isIncomplete) faults.push(`TO lacks ${missing} of FROM's pets; the first is pet ${firstMissing}`);
    if (isReusing) faults.push("TO could reuse ids that FROM has assigned");
    return { copied, present, verified: equal, meanwhile: isIncomplete ? 0 : missing, faults };
  }

  private async fill(): Promise<{ copied: number; present: number }> {
    const [first] = await this.target.readPets({ after: 0n, limit: 1 });
    const before = first ? await this.walk("comparing") : { equal: 0, firstMissing: 1n, faults: [] };
    const { equal: present, firstMissing, faults } = before;
    if (faults[0]) throw new Error(`TO may contain only pets of FROM; ${faults[0]}. Nothing was changed.`);
    // Before the first write, so that a service running on TO by mistake assigns none of FROM's ids.
    await this.target.raiseIds(await this.source.highestId());
    if (firstMissing === undefined) return { copied: 0, present };
    const { missing: copied } = await this.walk("copying", { after: firstMissing - 1n, present });
    return { copied, present };
  }

  /** Compares both archives in order of id. With `storing`, starts after an id and stores missing pets. */
  private async walk(phase: string, storing?: { after: bigint; present: number }): Promise<Comparison> {
    const source = new Reader(this.source, storing?.after);
    const target = new Reader(this.target, storing?.after);
    const total = (await this.source.countPets()) - (storing?.present ?? 0);
    const found = new Comparison();
    while (!source.isAtEnd || !target.isAtEnd) {
      await Promise.all([source.load(), target.load()]);
      const missing: ArchivedPet[] = [];
      for (let id = nextId(source, target); id !== undefined; id = nextId(source, target)) {
        const [left, right] = [source.take(id), target.take(id)];
        if (left && !right) {
          missing.push(left);
          found.firstMissing ??= id;
        } else {
          const difference = findDifference(left, right);
          if (!difference) found.equal++;
          else if (++found.different <= NAMED) found.faults.push(`pet ${id} ${difference}`);
        }
      }
      if (storing && missing.length > 0) await this.target.storePets(missing);
      found.missing += missing.length;
      const walked = found.equal + found.missing + found.different;
      this.onProgress(phase, storing ? found.missing : walked, total);
    }
    return found;
  }
}

/** Reads the pets of an archive in ascending order of id, a page at a time. */
class Reader {
  private page: ArchivedPet[] = [];
  private isLastPage = false;

  constructor(
    private readonly archive: PetArchive,
    private after = 0n,
  ) {}

  /** Loads the next page once the current page is used up. */
  async load(): Promise<void> {
    if (this.nextId !== undefined || this.isLastPage) return;
    this.page = [...(await this.archive.readPets({ after: this.after, limit: BATCH }))];
    this.isLastPage = this.page.length < BATCH;
    this.after = this.page.at(-1)?.pet.id ?? this.after;
  }

  get nextId(): bigint | undefined {
    return this.page[0]?.pet.id;
  }

  get isAtEnd(): boolean {
    return this.isLastPage && this.nextId === undefined;
  }

  /** Removes and returns the next pet if its id matches. */
  take(id: bigint): ArchivedPet | undefined {
    return this.nextId === id ? this.page.shift() : undefined;
  }
}

/** Returns the lower of both next ids; undefined if a page must be loaded first. */
function nextId(source: Reader, target: Reader): bigint | undefined {
  const [left, right] = [source.nextId, target.nextId];
  if (left === undefined) return source.isAtEnd ? right : undefined;
  if (right === undefined) return target.isAtEnd ? left : undefined;
  return left < right ? left : right;
}

function findDifference(left: ArchivedPet | undefined, right: ArchivedPet | undefined): string | undefined {
  if (!left || !right) return "is in TO but not in FROM";
  const [source, target]: Record<string, unknown>[] = [{ ...left.pet }, { ...right.pet }];
  const member = Object.keys({ ...source, ...target }).find((name) => source?.[name] !== target?.[name]);
  if (member) return `differs in its ${member}`;
  const isSameRecord =
    left.record?.key === right.record?.key && left.record?.fingerprint === right.record?.fingerprint;
  return isSameRecord ? undefined : "differs in its record";
}
