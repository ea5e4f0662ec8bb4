import type { Filter } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { ArchivedPet, PetArchive } from "../../application/ports/pet-archive.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import type { Connection } from "./connection.js";
import { createPet } from "./create-pet.js";
import { collectionsOf, type PetDocument, READ, toArchived, toPet } from "./documents.js";
import { Ids, type PetStore } from "./ids.js";
import { storePets } from "./store-pets.js";

const READ_PET = { ...READ, projection: { name: 1, categoryId: 1, status: 1 } } as const;

/** Keeps pets in a MongoDB database, which processes may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly store: PetStore;

  constructor(private readonly connection: Connection) {
    const collections = collectionsOf(connection.db);
    this.store = { ...collections, ids: new Ids(collections) };
  }

  create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const pet = { name, categoryId, status };
    const copy = record && { key: record.key, fingerprint: record.fingerprint };
    return this.connection.run(() => createPet(this.store, pet, copy));
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.connection.run(async () => {
      const document = await this.store.pets.findOne({ _id: id }, READ_PET);
      return document ? toPet(document) : undefined;
    });
  }

  list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return this.find({ ...(status && { status }), _id: { $gt: after } }, limit, READ_PET, toPet);
  }

  readPets({ after, limit }: { readonly after: bigint; readonly limit: number }): Promise<ArchivedPet[]> {
    return this.find({ _id: { $gt: after } }, limit, READ, toArchived);
  }

  storePets(pets: readonly ArchivedPet[]): Promise<void> {
    return this.connection.run(() => storePets(this.store, pets));
  }

  countPets(): Promise<number> {
    return this.connection.run(() => this.store.pets.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.connection.run(() => this.store.ids.highest());
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run(() => this.store.ids.raise(id));
  }

  private find<Item>(
    filter: Filter<PetDocument>,
    limit: number,
    options: typeof READ,
    toItem: (document: PetDocument) => Item,
  ): Promise<Item[]> {
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.connection.run(async () => (await this.store.pets.find(filter, page).toArray()).map(toItem));
  }
}
