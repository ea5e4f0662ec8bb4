import type { Document } from "mongodb";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import { type NewPet, PET_STATUSES, type Pet } from "../../domain/pet.js";
import { CollectionPair } from "./collection-pair.js";
import type { Connection } from "./connection.js";
import { type Item, READ, READ_ITEM, type Resource, toBigInt } from "./documents.js";
import { Ids } from "./ids.js";
import { Conflict } from "./mongodb-errors.js";

export const PETS: Resource = {
  name: "pets",
  member: "pet",
  index: { name: "pets_by_status", key: { status: 1, _id: 1 } },
  schema: {
    required: ["name", "categoryId", "status"],
    properties: {
      name: { bsonType: "string", minLength: 1, maxLength: 255 },
      categoryId: { bsonType: ["int", "long"] },
      status: { enum: [...PET_STATUSES] },
    },
  },
  toItem: (document) => toItem(toPet(document), document.idempotency),
};

function toPet({ _id, name, categoryId, status }: Document): Pet {
  return { id: toBigInt(_id), name, categoryId: toBigInt(categoryId), status };
}

function toItem({ id, name, categoryId, status }: Pet, record: IdempotencyRecord | undefined): Item {
  return { _id: id, name, categoryId, status, ...(record && { idempotency: { ...record } }) };
}

/** Keeps pets in a MongoDB database, which processes may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly ids = new Ids(PETS.name);

  constructor(private readonly connection: Connection) {}

  async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const members = toItem({ ...pet, id: 0n }, record);
    const { item, earlierFingerprint } = await this.run((pets) => pets.create(members));
    return { pet: toPet(item), earlierFingerprint };
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const document = await this.run(({ items }) => items.findOne({ _id: id }, READ_ITEM));
    return document ? toPet(document) : undefined;
  }

  async list({ status, after, limit }: PetRange): Promise<Pet[]> {
    const filter = status ? { status } : {};
    return (await this.run((pets) => pets.list(filter, after, limit, READ_ITEM))).map(toPet);
  }

  async readPets({ after, limit }: Omit<PetRange, "status">): Promise<ArchivedPet[]> {
    const documents = await this.run((pets) => pets.list({}, after, limit, READ));
    return documents.map((document) => ({ pet: toPet(document), record: document.idempotency }));
  }

  storePets(archived: readonly ArchivedPet[]): Promise<void> {
    const items = archived.map(({ pet, record }) => toItem(pet, record));
    return this.run((pets) => pets.store(items)).catch((error) => {
      throw error instanceof Conflict ? new PetConflict(error.id) : error;
    });
  }

  countPets(): Promise<number> {
    return this.run(({ items }) => items.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.connection.run((db) => this.ids.highest(db));
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run((db) => this.ids.raise(db, id));
  }

  private run<Result>(operation: (pets: CollectionPair) => Promise<Result>): Promise<Result> {
    return this.connection.run((db) => operation(new CollectionPair(db, PETS, this.ids)));
  }
}
