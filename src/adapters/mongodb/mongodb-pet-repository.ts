import { isDeepStrictEqual } from "node:util";
import { ObjectId } from "mongodb";
import { type ArchivedPet, type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord, PetRange, PetRepository } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { type Connection, READ } from "./connection.js";
import {
  type Claim,
  type Database,
  toArchived,
  toClaim,
  toClaimDocument,
  toDocument,
  toPet,
} from "./documents.js";
import { highestId, Ids } from "./ids.js";
import { explain, isRejection, isStored, retry } from "./mongodb-errors.js";

/** Leaves out what only creates and copies read. */
const READ_PET = { ...READ, projection: { creation: 0, idempotency: 0 } } as const;

/** Keeps pets in a MongoDB database, which processes may share. */
export class MongodbPetRepository implements PetRepository, PetArchive {
  private readonly ids = new Ids();

  constructor(private readonly connection: Connection) {}

  /**
   * With a record, first claims its key with all that a retry needs to store the pet. If an earlier create has claimed it,
   * stores the pet of that one, unless it exists.
   */
  create({ name, categoryId, status }: NewPet, given?: IdempotencyRecord) {
    const record = given && { ...given };
    return this.connection.run(async (database) => {
      const pet = { id: await this.ids.take(database), name, categoryId, status };
      const claim = record ? await claimKey(database, { pet, record }) : { pet, record };
      const ownsKey = claim.pet.id === pet.id;
      const stored = await this.insert(database, claim, ownsKey);
      return { pet: stored, earlierFingerprint: ownsKey ? undefined : claim.record?.fingerprint };
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
    const archived = structuredClone(given);
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
    const filter = status ? { status } : {};
    // A batch that fits the page saves a second command.
    const page = { ...options, sort: { _id: 1 }, limit, batchSize: Math.min(limit, 1000) } as const;
    return this.connection.run(async ({ pets }) => {
      if (after === 0n) {
        // Some servers serve a page faster without a range of ids. Other programs' ids may need it.
        const documents = await pets.find(filter, page).toArray();
        if (documents.every(({ _id }) => typeof _id === "number" && _id > 0)) return documents;
      }
      return pets.find({ ...filter, _id: { $gt: after } }, page).toArray();
    });
  }

  /** Inserts a pet unless it exists. If the server rejects it, frees its key, but only for the create that claimed it. */
  private async insert(database: Database, { pet, record }: ArchivedPet, ownsKey: boolean): Promise<Pet> {
    const { pets, keys } = database;
    const creation = new ObjectId();
    let current = pet;
    return retry(async () => {
      const { id } = current;
      const insert = pets.insertOne({ ...toDocument({ pet: current, record }), creation });
      const isInserted = await isStored(insert).catch(async (error) => {
        if (record && ownsKey && isRejection(error)) await freeKey(database, id, record.key);
        throw error;
      });
      if (isInserted) return current;
      const existing = await pets.findOne({ _id: id }, READ);
      if (!existing) return undefined;
      const isSame = record ? existing.idempotency?.key === record.key : creation.equals(existing.creation);
      if (isSame) return current;

      // Another program used this id: move on to a new one.
      await this.ids.raise(database, await highestId(database));
      current = { ...pet, id: await this.ids.take(database) };
      if (!record) return undefined;
      // If another process has moved the claim first, follow it.
      await keys.updateOne({ _id: record.key, "pet._id": id }, { $set: { "pet._id": current.id } });
      current = (await claimKey(database, { pet: current, record })).pet;
      return undefined;
    });
  }
}

/** Resolves to the claim that owns the key: this one, or that of an earlier create. */
function claimKey({ keys }: Database, claim: Claim): Promise<Claim> {
  return retry(async () => {
    if (await isStored(keys.insertOne(toClaimDocument(claim)))) return claim;
    const earlier = await keys.findOne({ _id: claim.record.key }, READ);
    return earlier ? toClaim(earlier) : undefined;
  });
}

/** Withdraws the claim of a pet, unless a concurrent retry has stored it. If that fails, the claim stays. */
async function freeKey({ pets, keys }: Database, id: bigint, key: string): Promise<void> {
  try {
    const stored = await pets.findOne({ _id: id, "idempotency.key": key }, READ);
    if (!stored) await keys.deleteOne({ _id: key, "pet._id": id });
  } catch {}
}

async function findMissing({ pets }: Database, archived: readonly ArchivedPet[]): Promise<ArchivedPet[]> {
  const filter = { _id: { $in: archived.map(({ pet }) => pet.id) } };
  const documents = await pets.find(filter, { ...READ, batchSize: archived.length + 1 }).toArray();
  const stored = new Map(documents.map(toArchived).map((existing) => [existing.pet.id, existing]));
  return archived.filter((wanted) => {
    const existing = stored.get(wanted.pet.id);
    if (existing && !isSame(existing, wanted)) throw new PetConflict(wanted.pet.id);
    return !existing;
  });
}

/** Resolves to whether each pet owns the key of its record. */
async function claimKeys({ pets, keys }: Database, archived: readonly ArchivedPet[]): Promise<boolean> {
  const claims = archived.flatMap(({ pet, record }) => (record ? [{ pet, record }] : []));
  if (claims.length === 0) return true;
  if (await isStored(keys.insertMany(claims.map(toClaimDocument), { ordered: false }))) return true;
  const filter = { _id: { $in: claims.map(({ record }) => record.key) } };
  const documents = await keys.find(filter, { ...READ, batchSize: claims.length + 1 }).toArray();
  const owners = new Map(documents.map(toClaim).map((owner) => [owner.record.key, owner]));
  let ownsAll = true;
  for (const claim of claims) {
    const { _id, ...members } = toClaimDocument(claim);
    const owner = owners.get(_id);
    if (owner && isSame(owner, claim)) continue;
    ownsAll = false;
    if (!owner) continue;
    const stored = await pets.findOne({ _id: owner.pet.id, "idempotency.key": _id }, READ);
    if (stored || claims.some((other) => isSame(owner, other))) throw new PetConflict(claim.pet.id);
    // Orphaned: the create that claimed the key died before it stored its pet.
    await keys.updateOne({ _id, "pet._id": owner.pet.id }, { $set: members });
  }
  return ownsAll;
}

function isSame(left: ArchivedPet, right: ArchivedPet): boolean {
  return isDeepStrictEqual(toDocument(left), toDocument(right));
}
