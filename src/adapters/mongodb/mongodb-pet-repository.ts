import type { Collection, Document, FindOptions } from "mongodb";
import type { ArchivedPet, PetArchive } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";
import { type Connection, DEADLINE } from "./connection.js";
import { type PetDocument, READ, READ_ARCHIVED, readExactly, toArchived, toPet } from "./documents.js";
import { DatabaseError } from "./errors.js";
import { insertPet } from "./insert-pet.js";
import type { MalformedDocuments } from "./malformed-documents.js";
import { storePets } from "./store-pets.js";

/** The largest batch: the server takes an int32, and no more pets than this fit into its 16 MB. */
const BATCH_MOST = 200_000;

/** How many documents to read at a time if malformed ones leave a page unfilled. */
const REFILL = 1000;

interface RacingCreate {
  readonly fingerprint: string;
  readonly creation: Promise<Creation>;
}

/** Keeps pets in a MongoDB database, which any number of processes on any number of machines may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly racing = new Map<string, RacingCreate>();

  constructor(
    private readonly connection: Connection,
    private readonly malformed: MalformedDocuments,
  ) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    if (!record) return this.insert(pet, record);
    // Creates that race under one key in this process wait for the first, so that the database sees only one.
    const first = this.racing.get(record.key);
    if (first) {
      const { pet, earlierFingerprint = first.fingerprint } = await first.creation;
      return { pet: { ...pet }, earlierFingerprint };
    }
    const creation = this.insert(pet, record).finally(() => this.racing.delete(record.key));
    this.racing.set(record.key, { fingerprint: record.fingerprint, creation });
    return creation;
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.connection.run(async ({ pets }) => {
      const [document] = await readExactly(pets.find({ _id: id }, { ...READ, limit: 1 }));
      return document && this.readable(document, toPet);
    });
  }

  list({ status, after, limit }: PetRange): Promise<Pet[]> {
    const where = status ? { status } : {};
    return this.connection.run(({ pets }) => this.readRange(pets, where, READ, after, limit, toPet));
  }

  readPets({ after, limit }: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.connection.run(({ pets }) =>
      this.readRange(pets, {}, READ_ARCHIVED, after, limit, toArchived),
    );
  }

  storePets(pets: readonly ArchivedPet[]): Promise<void> {
    return this.connection.run((database) => storePets(database, pets));
  }

  countPets(): Promise<number> {
    return this.connection.run(({ pets }) => pets.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.connection.run(({ ids }) => ids.highest());
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run(({ ids }) => ids.raise(id));
  }

  private insert(
    { name, categoryId, status }: NewPet,
    record: IdempotencyRecord | undefined,
  ): Promise<Creation> {
    const kept = record && { key: record.key, fingerprint: record.fingerprint };
    return this.connection.run((database) => insertPet(database, { name, categoryId, status }, kept));
  }

  /** Reads the first `limit` documents after an id, in ascending order of id, without the malformed ones. */
  private async readRange<Item>(
    pets: Collection<PetDocument>,
    where: { readonly status?: PetStatus },
    options: FindOptions,
    after: bigint,
    limit: number,
    toItem: (document: Document) => Item | undefined,
  ): Promise<Item[]> {
    const found: Item[] = [];
    // Only ends the reading, which nobody awaits any more: `Connection` has given up the operation by then.
    const deadline = performance.now() + DEADLINE;
    let from: bigint = after > 0n ? after : 0n;
    for (let size = limit; performance.now() < deadline; size = REFILL) {
      // One batch if possible; otherwise the driver asks by a second command whether there is more.
      const page = {
        ...options,
        sort: { _id: 1 },
        limit: size,
        batchSize: Math.min(size, BATCH_MOST),
      } as const;
      const documents = await readExactly(pets.find({ ...where, _id: { $gt: from } }, page));
      for (const document of documents) {
        const one = this.readable(document, toItem);
        if (one) found.push(one);
      }
      const last = documents.at(-1);
      if (found.length >= limit || documents.length < size || !last) return found.slice(0, limit);
      // The last `_id` keeps its BSON type, and goes back to the server as it came.
      from = last._id;
    }
    throw new DatabaseError("too many malformed documents in a row to fill a page");
  }

  private readable<Item>(
    document: Document,
    toItem: (document: Document) => Item | undefined,
  ): Item | undefined {
    const one = toItem(document);
    if (!one) this.malformed.skip(document._id);
    return one;
  }
}
