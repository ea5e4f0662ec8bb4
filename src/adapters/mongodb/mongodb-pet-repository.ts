import type { Document } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { Creation, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import { type NewPet, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { CollectionPair } from "./collection-pair.js";
import type { Connection } from "./connection.js";
import { createItem } from "./create-item.js";
import { type Item, READ, type Resource, toBigInt, withRecord } from "./documents.js";
import { Ids } from "./ids.js";
import { Conflict } from "./mongodb-errors.js";
import { storeItems } from "./store-items.js";

export const PETS: Resource = {
  name: "pets",
  member: "pet",
  index: { name: "pets_by_status", key: { status: 1, _id: 1 } },
  required: ["name", "categoryId", "status"],
  properties: {
    name: { bsonType: "string", minLength: 1, maxLength: 255 },
    categoryId: { bsonType: ["int", "long"] },
    status: { enum: [...PET_STATUSES] },
  },
  toItem: (document) => toItem(toPet(document)),
};

function toPet({ _id, name, categoryId, status }: Document): Pet {
  return { id: toBigInt(_id), name, categoryId: toBigInt(categoryId), status };
}

function toItem({ id, name, categoryId, status }: Pet): Item {
  return { _id: id, name, categoryId, status };
}

/** Keeps pets in a MongoDB database, which processes may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly ids = new Ids();

  constructor(private readonly connection: Connection) {}

  async create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const pet = { name, categoryId, status };
    const copy = record && { key: record.key, fingerprint: record.fingerprint };
    const { item, earlierFingerprint } = await this.run((pets) => createItem(pets, pet, copy));
    return { pet: toPet(item), earlierFingerprint };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const document = await this.run((pets) => pets.get(id));
    return document ? toPet(document) : undefined;
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return (await this.run((pets) => pets.list(status ? { status } : {}, after, limit))).map(toPet);
  }

  async readPets({ after, limit }: Omit<PetRange, "status">): Promise<ArchivedPet[]> {
    const documents = await this.run((pets) => pets.list({}, after, limit, READ));
    return documents.map((document) => ({ pet: toPet(document), record: document.idempotency }));
  }

  storePets(archived: readonly ArchivedPet[]): Promise<void> {
    const items = archived.map(({ pet, record }) => withRecord(toItem(pet), record));
    return this.run((pets) => storeItems(pets, items)).catch((error) => {
      throw error instanceof Conflict ? new PetConflict(error.id) : error;
    });
  }

  countPets(): Promise<number> {
    return this.run(({ items }) => items.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.run((pets) => pets.ids.highest(pets));
  }

  raiseIds(id: bigint): Promise<void> {
    return this.run((pets) => pets.ids.raise(pets, id));
  }

  private run<Result>(operation: (pets: CollectionPair) => Promise<Result>): Promise<Result> {
    return this.connection.run((db) => operation(new CollectionPair(db, PETS, this.ids)));
  }
}
