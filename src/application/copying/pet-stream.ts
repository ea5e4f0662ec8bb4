import type { ArchivedPet } from "../ports/pet-archive.js";
import { BATCH, type Batch, type PatientArchive } from "./patient-archive.js";

export interface StreamRange {
  /** Only pets whose id is greater. */
  readonly after: bigint;
  /** Only pets whose id is less; all if it is undefined. */
  readonly before?: bigint | undefined;
  /** How many pets are expected; more are read all the same. */
  readonly expected?: number;
}

/** The pets of an archive one after another, read in batches, and the next batch while this one is worked on. */
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
    private readonly archive: PatientArchive | undefined,
    { after, before, expected = BATCH }: StreamRange,
  ) {
    this.after = after;
    this.before = before;
    // One more than expected tells that nothing else is there.
    this.limit = Math.min(BATCH, expected + 1);
  }

  /** The pet that is next, if the stream is filled; undefined after the last one. */
  get next(): ArchivedPet | undefined {
    return this.batch[this.index];
  }

  /** Whether `next` can tell only once `fill` was called. */
  get drained(): boolean {
    return this.index === this.batch.length && !this.ended;
  }

  /** Whether there is no other pet. */
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
    // Whoever fills the stream hears of a failure; if nobody does any more, nobody is to hear of it.
    this.ahead.catch(() => undefined);
  }

  private async read(): Promise<Batch> {
    return this.archive ? this.archive.read(this.after, this.limit) : { pets: [], last: true };
  }
}

/** Is shown two pets with the same id, or one that only one side has; ends the walk by answering false. */
export type Visit = (source: ArchivedPet | undefined, target: ArchivedPet | undefined) => boolean;

/** Goes through two streams in step, in order of id. */
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
