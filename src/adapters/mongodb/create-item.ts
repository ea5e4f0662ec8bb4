import { type Document, ObjectId } from "mongodb";
import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { CollectionPair } from "./collection-pair.js";
import { type Claim, type Item, READ } from "./documents.js";
import { isStored, retry } from "./mongodb-errors.js";

/**
 * Stores an item. With a record, first claims the key with all that a retry needs to store the item; if an earlier create
 * has claimed it, stores the item of that one, unless it exists.
 */
export async function createItem(
  pair: CollectionPair,
  members: Document,
  record?: IdempotencyRecord,
): Promise<{ item: Item; earlierFingerprint: string | undefined }> {
  const { items, keys, ids, resource } = pair;
  const creation = new ObjectId();
  const _id = await ids.take(pair);
  let item: Item = record
    ? await claimKey(pair, { ...members, _id, idempotency: record })
    : { ...members, _id };
  const earlierFingerprint = item._id === _id ? undefined : item.idempotency?.fingerprint;
  return retry(async () => {
    if (await isStored(items.insertOne({ ...item, creation }))) return { item, earlierFingerprint };
    const existing = await items.findOne({ _id: item._id }, READ);
    if (!existing) return undefined;
    const isSame = record ? existing.idempotency?.key === record.key : creation.equals(existing.creation);
    if (isSame) return { item, earlierFingerprint };

    // The item of another program has the id. If another process moves the claim first, that counts.
    await ids.skipStored(pair);
    const moved = { ...item, _id: await ids.take(pair) };
    if (!record) item = moved;
    else {
      const path = `${resource.member}._id`;
      await keys.updateOne({ _id: record.key, [path]: item._id }, { $set: { [path]: moved._id } });
      item = (await readClaim(pair, record.key)) ?? item;
    }
    return undefined;
  });
}

/** Resolves to what has the key then: this claim, or an earlier one. */
function claimKey(pair: CollectionPair, claim: Claim): Promise<Claim> {
  return retry(async () => {
    const isNew = await isStored(pair.keys.insertOne(pair.toStoredClaim(claim)));
    return isNew ? claim : readClaim(pair, claim.idempotency.key);
  });
}

async function readClaim(pair: CollectionPair, _id: string): Promise<Claim | undefined> {
  const stored = await pair.keys.findOne({ _id }, READ);
  return stored ? pair.toClaim(stored) : undefined;
}
