import type { ArchivedPet } from "../ports/pet-archive.js";
import { BATCH, type Batch, type BatchedArchive } from "./batched-archive.js";

interface StreamRange {
  /** Only pets whose id is greater. */
  readonly after: bigint;
  /** Only pets whose id is less; all if it is undefined. */
  readonly before?: bigint | undefined;
  /** How many pets to expect. The stream reads further ones as well. */
  readonly expected?: number;
}

/** Reads the pets of an archive in batches, the next one while the caller works on this one. */
export class PetStream {
  private batch: readonly ArchivedPet[] = [];
  private index = 0;
  private ahead: Promise<Batch> | undefined;
  private ended = false;
  private after: bigint;
  private readonly before: bigint | undefined;
  private readonly limit: number;

  /** @param archive undefined for a stream without pets */
  constructor(
    private readonly archive: BatchedArchive | undefined,
    { after, before, expected = BATCH }: StreamRange,
  ) {
    this.after = after;
    this.before = before;
    // One more than expected shows whether there are others.
    this.limit = Math.min(BATCH, expected + 1);
  }

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
    const { pets, last } = await (this.ahead ?? this.read());
    this.ahead = undefined;
    const { before } = this;
    const beyond = before === undefined ? -1 : pets.findIndex(({ pet }) => pet.id >= before);
    this.batch = beyond < 0 ? pets : pets.slice(0, beyond);
    this.index = 0;
    this.ended = last || beyond >= 0;
    this.after = pets.at(-1)?.pet.id ?? this.after;
    if (!this.ended) this.readAhead();
  }

  private readAhead(): void {
    this.ahead = this.read();
    // The next `fill` rejects with the failure. If there is none, the failure does not matter.
    this.ahead.catch(() => undefined);
  }

  private async read(): Promise<Batch> {
    return this.archive ? this.archive.read(this.after, this.limit) : { pets: [], last: true };
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
