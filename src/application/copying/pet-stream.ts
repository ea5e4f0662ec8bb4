import type { ArchivedPet } from "../ports/pet-archive.js";
import type { Batch, BatchedArchive } from "./batched-archive.js";

/** Reads the pets of an archive in batches, the next one while the caller works on this one. */
export class PetStream {
  private batch: readonly ArchivedPet[] = [];
  private index = 0;
  private ahead: Promise<Batch> | undefined;
  private ended = false;

  /** @param after the id after which it begins, and after which it then goes on */
  constructor(
    private readonly archive: BatchedArchive,
    private after = 0n,
  ) {}

  /** The next pet of a filled stream; undefined after the last one. */
  get next(): ArchivedPet | undefined {
    return this.batch[this.index];
  }

  /** Whether `next` needs a `fill` first. */
  get drained(): boolean {
    return this.index === this.batch.length && !this.ended;
  }

  /** Whether there is no further pet. */
  get over(): boolean {
    return this.index === this.batch.length && this.ended;
  }

  skip(): void {
    this.index++;
  }

  async fill(): Promise<void> {
    if (!this.drained) return;
    const { pets, last } = await (this.ahead ?? this.archive.read(this.after));
    this.ahead = undefined;
    this.batch = pets;
    this.index = 0;
    this.ended = last;
    this.after = pets.at(-1)?.pet.id ?? this.after;
    if (this.ended) return;
    this.ahead = this.archive.read(this.after);
    // The next `fill` rejects with the failure. If there is none, the failure does not matter.
    this.ahead.catch(() => undefined);
  }
}

/** Gets two pets with the same id, or one that only one side has. Ends the walk by returning false. */
type Visit = (source: ArchivedPet | undefined, target: ArchivedPet | undefined) => boolean;

/** Walks through two streams in step, in order of id. */
export async function walkInStep(
  source: PetStream,
  target: PetStream,
  visit: Visit,
  afterBatch: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await Promise.all([source.fill(), target.fill()]);
    while (!source.drained && !target.drained) {
      const [one, other] = [source.next, target.next];
      if (!one && !other) return afterBatch();
      const sourceFirst = one && (!other || one.pet.id <= other.pet.id);
      const targetFirst = other && (!one || other.pet.id <= one.pet.id);
      if (!visit(sourceFirst ? one : undefined, targetFirst ? other : undefined)) return afterBatch();
      if (sourceFirst) source.skip();
      if (targetFirst) target.skip();
    }
    await afterBatch();
  }
}
