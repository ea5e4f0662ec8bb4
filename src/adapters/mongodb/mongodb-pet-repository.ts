import type { Document } from "mongodb";
import type { ArchivedPet, PetArchive } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Connection } from "./connection.js";
import {
  PET_INDEXES,
  PET_SCHEMA,
  type PetDocument,
  type Pets,
  READ,
  READ_WHOLE,
  toArchived,
  toPet,
} from "./documents.js";
import { insertPet } from "./insert-pet.js";
import { type MalformedDocuments, readExactly, readRange } from "./reading.js";
import { storePets } from "./store-pets.js";

/** How many documents to read in order to count them. */
const STRAYS_MOST = 1000;

/** Keeps pets in a MongoDB database, which any number of processes on any number of machines may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  /** The creates under way that have a key, by their keys. */
  private readonly racing = new Map<string, { fingerprint: string; creation: Promise<Creation> }>();
  private readonly pets: Pets;

  constructor(
    private readonly connection: Connection,
    private readonly malformed: MalformedDocuments,
  ) {
    this.pets = connection.keep<PetDocument>("pets", { indexes: PET_INDEXES, schema: PET_SCHEMA });
  }

  async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const kept = record && { key: record.key, fingerprint: record.fingerprint };
    // Creates that race under one key in this process wait for the first, so that the database sees only one.
    const first = kept && this.racing.get(kept.key);
    if (first) {
      const { pet, earlierFingerprint = first.fingerprint } = await first.creation;
      return { pet: { ...pet }, earlierFingerprint };
    }
    const insert = () => insertPet(this.pets, { name, categoryId, status }, kept);
    const creation = this.connection.run("write", insert);
    if (!kept) return creation;
    this.racing.set(kept.key, { fingerprint: kept.fingerprint, creation });
    return creation.finally(() => this.racing.delete(kept.key));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.connection.run("read", async () => {
      const [document] = await readExactly(this.pets.collection.find({ _id: id }, { ...READ, limit: 1 }));
      // A probe asks for a pet that cannot be there.
      return id > 0n && document ? this.readable(document) : undefined;
    });
  }

  list({ status, ...range }: PetRange): Promise<Pet[]> {
    const where = status ? { status } : {};
    return this.connection.run("read", () =>
      readRange(this.pets.collection, where, READ, range, (document) => this.readable(document)),
    );
  }

  readPets(range: { after: bigint; limit: number }): Promise<ArchivedPet[]> {
    return this.connection.run("read", () =>
      readRange(this.pets.collection, {}, READ_WHOLE, range, toArchived),
    );
  }

  storePets(pets: readonly ArchivedPet[]): Promise<void> {
    return this.connection.run("write", () => storePets(this.pets, pets));
  }

  countPets(): Promise<number> {
    return this.connection.run("read", () => this.pets.collection.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.connection.run("read", () => this.pets.ids.highest());
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run("write", () => this.pets.ids.raise(id));
  }

  /** The documents that no range of ids finds. No list and no copy has them. */
  unarchived(): Promise<string | undefined> {
    return this.connection.run("read", async () => {
      const strays = { _id: { $not: { $gt: 0n } } };
      const limit = STRAYS_MOST;
      const found = await readExactly(this.pets.collection.find(strays, { ...READ_WHOLE, limit }));
      if (found.length === 0) return undefined;
      const number = found.length < limit ? found.length : `${limit} or more`;
      return `${number} documents in pets whose _id is no number from 1, e.g. ${found[0]?._id}`;
    });
  }

  private readable(document: Document): Pet | undefined {
    const pet = toPet(document);
    if (!pet) this.malformed.skip(document._id);
    return pet;
  }
}
