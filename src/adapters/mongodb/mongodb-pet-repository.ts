import { isDeepStrictEqual } from "node:util";
import { ObjectId } from "mongodb";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { type Connection, READ } from "./connection.js";
import { type Database, type Integer, toArchived, toClaim, toDocument, toOwner, toPet } from "./documents.js";
import { highestId, Ids } from "./ids.js";
import { explain, isRejection, isStored, retry } from "./mongodb-errors.js";

/** Leaves out the members that only creates and copies read. */
const READ_PET = { ...READ, projection: { creation: 0, idempotency: 0 } } as const;

/** Keeps pets in a MongoDB database, which processes may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly ids = new Ids();

  constructor(private readonly connection: Connection) {}

  /**
   * With a record, first claims its key with all that a retry needs to store the pet. If an earlier create
   * has claimed the key, stores the pet of that claim, unless it exists.
   */
  create({ name, categoryId, status }: NewPet, given?: IdempotencyRecord) {
    const record = given && { ...given };
    const creation = new ObjectId();
    return this.connection.run(async (database) => {
      const { pets, keys } = database;
      let pet = { id: await this.ids.take(database), name, categoryId, status };
      let isRepeat: boolean | undefined;
      return retry(async () => {
        const owner = await claimKey(database, { pet, record });
        if (!owner) return undefined;
        const { id } = owner.pet;
        isRepeat ??= id !== pet.id;
        const earlierFingerprint = isRepeat ? owner.record?.fingerprint : undefined;
        const result = { pet: owner.pet, earlierFingerprint };
        if (await isStored(pets.insertOne({ ...toDocument(owner), creation }))) return result;
        const existing = await pets.findOne({ _id: id }, READ);
        if (!existing) return undefined;
        const isSame = record ? existing.idempotency?.key === record.key : creation.equals(existing.creation);
        if (isSame) return result;

        // Another program used this id: move on to a new one, unless another process has moved the claim.
        await this.ids.raise(database, await highestId(database));
        pet = { ...pet, id: await this.ids.take(database) };
        if (record) await keys.updateOne({ _id: record.key, "pet._id": id }, { $set: { "pet._id": pet.id } });
        return undefined;
      }).catch(async (error) => {
        // A repeat must not free the key, since the create that claimed it may be in flight.
        const isFree = record && isRepeat === false && isRejection(error);
        if (isFree) await freeKey(database, pet.id, record.key).catch(() => undefined);
        throw error;
      });
    });
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const document = await this.connection.run(({ pets }) => pets.findOne({ _id: id }, READ_PET));
    return document ? toPet(document) : undefined;
  }

  async list(range: PetRange): Promise<Pet[]> {
    return (await this.read(range, READ_PET)).map(toPet);
  }

  async readPets(range: Omit<PetRange, "status">): Promise<ArchivedPet[]> {
    return (await this.read({ ...range, status: undefined }, READ)).map(toArchived);
  }

  /** One command claims the keys, another inserts the pets. */
  storePets(given: readonly ArchivedPet[]): Promise<void> {
    // Copies only the members that are stored.
    const archived = given.map(toDocument).map(toArchived);
    return this.connection.run(async (database) => {
      // Before the first insert, so that no create assigns one of these ids.
      await this.ids.raise(database, archived.at(-1)?.pet.id ?? 0n);
      await retry(async () => {
        const missing = await findMissing(database, archived);
        if (missing.length === 0) return true;
        if (!(await claimKeys(database, missing))) return undefined;
        const insert = database.pets.insertMany(missing.map(toDocument), { ordered: false });
        return (await isStored(insert)) || undefined;
      }).catch((error) => {
        throw explain(error);
      });
    });
  }

  countPets(): Promise<number> {
    return this.connection.run(({ pets }) => pets.estimatedDocumentCount());
  }

  highestId(): Promise<bigint> {
    return this.connection.run(highestId);
  }

  raiseIds(id: bigint): Promise<void> {
    return this.connection.run((database) => this.ids.raise(database, id));
  }

  private read({ status, after, limit }: PetRange, options: typeof READ) {
    const range = { _id: { $gt: after } };
    const filter = status ? { status, ...range } : range;
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.connection.run(({ pets }) => pets.find(filter, page).toArray());
  }
}

/** Resolves to the pet that owns the key, this one or an earlier one; to undefined if inserts conflict. */
async function claimKey({ keys }: Database, archived: ArchivedPet): Promise<ArchivedPet | undefined> {
  const claim = toClaim(archived);
  if (!claim || (await isStored(keys.insertOne(claim)))) return archived;
  const earlier = await keys.findOne({ _id: claim._id }, READ);
  return earlier ? toOwner(earlier) : undefined;
}

/** Deletes the claim of a pet that is not stored. Resolves to false if it is stored. */
async function freeKey({ pets, keys }: Database, id: Integer, key: string): Promise<boolean> {
  if (await pets.findOne({ _id: id, "idempotency.key": key }, READ)) return false;
  await keys.deleteOne({ _id: key, "pet._id": id });
  return true;
}

async function findMissing({ pets }: Database, archived: readonly ArchivedPet[]): Promise<ArchivedPet[]> {
  const documents = await pets.find({ _id: { $in: archived.map(({ pet }) => pet.id) } }, READ).toArray();
  const stored = new Map(documents.map(toArchived).map((existing) => [existing.pet.id, existing]));
  return archived.filter((wanted) => {
    const existing = stored.get(wanted.pet.id);
    if (existing && !isDeepStrictEqual(existing, wanted)) throw new PetConflict(wanted.pet.id);
    return !existing;
  });
}

/** Resolves to whether each pet owns its key. Frees the keys of creates that died before storing a pet. */
async function claimKeys(database: Database, archived: readonly ArchivedPet[]): Promise<boolean> {
  const { keys } = database;
  const claims = archived.flatMap((wanted) => toClaim(wanted) ?? []);
  if (claims.length === 0 || (await isStored(keys.insertMany(claims, { ordered: false })))) return true;
  const documents = await keys.find({ _id: { $in: claims.map(({ _id }) => _id) } }, READ).toArray();
  const owners = new Map(documents.map((owner) => [owner._id, owner]));
  let ownsAll = true;
  for (const claim of claims) {
    const owner = owners.get(claim._id);
    if (owner && isDeepStrictEqual(toOwner(owner), toOwner(claim))) continue;
    ownsAll = false;
    const isShared = claims.filter(({ _id }) => _id === claim._id).length > 1;
    if (isShared || (owner && !(await freeKey(database, owner.pet._id, owner._id))))
      throw new PetConflict(toPet(claim.pet).id);
  }
  return ownsAll;
}
