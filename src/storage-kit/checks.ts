import assert from "node:assert/strict";
import type { IdempotencyRecord, PetRange, PetRepository } from "../application/ports/pet-repository.js";
import type { StorageReading } from "../application/storage-adapter.js";
import { type NewPet, PET_STATUSES, type Pet } from "../domain/pet.js";
import { CallRejected, show } from "./messages.js";
import { atOnce, pick, recordOf, somePet } from "./samples.js";

/** Names of the service's and of Node's series, which no reading may use. */
const TAKEN = /^(?:nodejs|process)_|^petstore_(?:http|storage|keys?|deprecated|read_only|build_info)(?:_|$)/;

/** Compares plain copies, and lists item by item, so that a failure shows the first difference. */
export function same(seen: unknown, expected: unknown): void {
  if (Array.isArray(seen) && Array.isArray(expected)) {
    for (const [n, item] of expected.entries()) same(seen[n], item);
    assert.equal(seen.length, expected.length);
  } else assert.deepEqual(structuredClone(seen), expected);
}

/** Creates a pet, and resolves to it as a plain object. */
export async function create(pets: PetRepository, parts: Partial<NewPet> = {}, record?: IdempotencyRecord) {
  return structuredClone((await pets.create(somePet(parts), record)).pet);
}

/** Creates pets, at most 50 at once, with alternating statuses; resolves to them in order of id. */
export async function createMany(pets: PetRepository, count: number): Promise<Pet[]> {
  const createOne = (n: number) => create(pets, { name: `pet ${n}`, status: pick(PET_STATUSES, n) });
  const created: Pet[] = [];
  for (let n = 0; n < count; n += 50) created.push(...(await atOnce(Math.min(50, count - n), createOne)));
  return inOrder(created);
}

export function list(pets: PetRepository, range: Partial<PetRange> = {}): Promise<Pet[]> {
  return pets.list({ status: undefined, after: 0n, limit: 100_000, ...range });
}

/** Expects get and list to return exactly this pet, and a create under the record's key to repeat it. */
export async function shows(pets: PetRepository, pet: Pet, record?: IdempotencyRecord): Promise<void> {
  same(await pets.get(pet.id), pet);
  for (const status of [undefined, pet.status]) {
    same(await list(pets, { status, after: pet.id - 1n, limit: 1 }), [pet]);
  }
  if (record) await replays(pets, pet, record);
}

/** Expects a create of another pet under the record's key to return this pet and the fingerprint. */
export async function replays(pets: PetRepository, pet: Pet, { key, fingerprint }: IdempotencyRecord) {
  const again = await pets.create(somePet({ name: "other" }), recordOf(key, "another"));
  same(again, { pet, earlierFingerprint: fingerprint });
}

export function distinct(ids: readonly bigint[]): void {
  const twice = ids.find((id, n) => ids.indexOf(id) !== n);
  assert(twice === undefined, `create(…) assigned the id ${twice} twice`);
}

export function idsOf(pets: readonly Pet[]): bigint[] {
  return pets.map(({ id }) => id);
}

export function inOrder(pets: readonly Pet[]): Pet[] {
  return [...pets].sort((one, other) => Number(one.id - other.id));
}

export async function rejects(
  name: string,
  call: Promise<unknown>,
  expected: string,
  isRight = (_error: unknown): boolean => true,
): Promise<void> {
  let seen = "resolved";
  await call.catch((error) => {
    if (!(error instanceof CallRejected)) throw error;
    seen = isRight(error.cause) ? "" : `rejected with ${show(error.cause)}`;
  });
  assert(!seen, `${name} ${seen}; expected ${expected}`);
}

/** Expects readings that /metrics can serve now. */
export function checkReadings(readings: readonly StorageReading[]): void {
  const names = new Set<string>();
  for (const reading of readings) {
    const { name, help, type } = reading;
    const call = `addReading(${show(reading)})`;
    assert(/^[a-z_:][a-z0-9_:]*$/i.test(name), `${call}: expected a valid Prometheus name`);
    assert(!TAKEN.test(name) && !names.has(name), `${call}: expected a name that is not in use yet`);
    assert(help && /^(gauge|counter)$/.test(type), `${call}: expected a help text, and gauge or counter`);
    assert(typeof reading.read() === "number", `${call}: expected read() to return a number`);
    names.add(name);
  }
}
