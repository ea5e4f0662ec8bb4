import { isDeepStrictEqual } from "node:util";
import type { CollectionPair } from "./collection-pair.js";
import { type Claim, type Item, READ } from "./documents.js";
import { CODES, Conflict, hasCode, isStored, PermanentError, retry } from "./mongodb-errors.js";

/** Stores items under their ids: one command claims their keys, another inserts them. @throws Conflict */
export async function storeItems(pair: CollectionPair, items: readonly Item[]): Promise<void> {
  // Before the first insert, so that no create gives one of these ids.
  await pair.ids.raise(pair, items.at(-1)?._id ?? 0n);
  await retry(async () => {
    const missing = await findMissing(pair, items);
    if (missing.length === 0) return true;
    const claims = missing.filter((item): item is Claim => item.idempotency !== undefined);
    if (claims.length > 0 && !(await claimKeys(pair, claims))) return undefined;
    return (await isStored(pair.items.insertMany(missing, { ordered: false }))) || undefined;
  }).catch((error) => {
    if (!hasCode(error, CODES.invalid)) throw error;
    const { name } = pair.resource;
    throw new PermanentError(`The validator of the collection ${name} rejects a document: ${error.message}`);
  });
}

/** The items that are not stored yet. */
async function findMissing(pair: CollectionPair, items: readonly Item[]): Promise<Item[]> {
  const filter = { _id: { $in: items.map(({ _id }) => _id) } };
  const found = await pair.items.find(filter, { ...READ, batchSize: items.length + 1 }).toArray();
  const stored = new Map(found.map((document) => pair.toItem(document)).map((item) => [item._id, item]));
  return items.filter((item) => {
    const existing = stored.get(item._id);
    if (existing && !isDeepStrictEqual(existing, item)) throw new Conflict(item._id);
    return !existing;
  });
}

/** Resolves to whether the keys are claimed for these items. */
async function claimKeys(pair: CollectionPair, wanted: readonly Claim[]): Promise<boolean> {
  const documents = wanted.map((claim) => pair.toStoredClaim(claim));
  if (await isStored(pair.keys.insertMany(documents, { ordered: false }))) return true;
  const filter = { _id: { $in: wanted.map(({ idempotency }) => idempotency.key) } };
  const found = await pair.keys.find(filter, { ...READ, batchSize: wanted.length + 1 }).toArray();
  const claims = new Map(found.map((stored) => [stored._id, pair.toClaim(stored)]));
  const unclaimed = wanted.filter((claim) => !isDeepStrictEqual(claims.get(claim.idempotency.key), claim));
  for (const claim of unclaimed) {
    const existing = claims.get(claim.idempotency.key);
    if (!existing) continue;
    const { _id, ...members } = pair.toStoredClaim(claim);
    const stored = await pair.items.findOne({ _id: existing._id, "idempotency.key": _id }, READ);
    if (stored || wanted.some((other) => isDeepStrictEqual(other, existing))) throw new Conflict(claim._id);
    // Orphaned: the create that claimed the key died before it stored its item.
    await pair.keys.updateOne({ _id, [`${pair.resource.member}._id`]: existing._id }, { $set: members });
  }
  return unclaimed.length === 0;
}
