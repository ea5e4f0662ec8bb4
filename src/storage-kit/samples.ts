import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../application/ports/pet-repository.js";
import { INT64_MAX, INT64_MIN } from "../domain/int64.js";
import { type NewPet, PET_STATUSES, type Pet, type PetStatus } from "../domain/pet.js";
import { callText, expectSame } from "./seen.js";

/** Numbers that come out wrong if a storage cuts an int64, rounds it or reads it without its sign. */
export const AWKWARD_INT64S = [
  ...[INT64_MIN, INT64_MAX, -1n, 0n],
  ...[31n, 32n, 53n, 62n].flatMap((bits) => [2n ** bits + 1n, -(2n ** bits) - 1n]),
];
/** Valid names that storages, encodings and query languages are likely to change. */
export const AWKWARD_NAMES: Readonly<Record<string, string>> = {
  "a family emoji joined by ZWJ": "👨‍👩‍👧‍👦 Rex 🏳️‍🌈",
  "right-to-left text with direction marks": "\u200fכֶּלֶב \u202eمرحبا\u202c",
  "255 code points beyond the basic plane": "🐾".repeat(255),
  "255 letters of one byte": "x".repeat(255),
  "quotes of every kind": `'"\`´„“«»'';--`,
  "backslashes, and letters after them that escape nothing": "\\ \\n \\u0000 \\\\ %s %00 $x $1 \\",
  "a prototype's name": "__proto__",
  "a query operator": "$where",
  "a path": "a.b",
  "a wildcard": "%_*?[a-z]",
  "white space around": " \u00a0Rex\u2003 ",
  "white space in a row": "Rex   the\u3000\u3000dog",
  "line and paragraph separators": "Rex\u2028and\u2029Bello",
  "a decomposed letter, which must not be composed": "e\u0301\u00f1n\u0303",
  "a composed letter, which must not be decomposed": "\u00e9\u1e69",
  "a letter that another form stands for": "\ufb01\u212b\u2126\uff32\uff45\uff58",
  "letters of either case": "ıİiI ßẞ ǅ REX rex",
  "a name that looks like a number": "0123456789e5",
  "a name that looks like null": "null",
  "a name that looks like JSON": '{"id":1}',
  "a soft hyphen and an invisible joiner": "Re\u00adx\u2060\u200b",
  "a byte order mark and noncharacters": "\ufeffRex\ufffe\uffff\u{10ffff}",
};

/** A record with this key. */
export function recordOf(key: string, fingerprint = "fingerprint") {
  return { key, fingerprint };
}

export function somePet(parts: Partial<NewPet> = {}): NewPet {
  return { name: "Rex", categoryId: 7n, status: "available", ...parts };
}

/** Creates pets, at most 50 at once, with the statuses in turn, and answers them in order of id. */
export async function createPets(
  pets: PetRepository,
  count: number,
  statuses: readonly PetStatus[] = PET_STATUSES,
): Promise<Pet[]> {
  const created: Pet[] = [];
  while (created.length < count) {
    const batch = await atOnce(Math.min(50, count - created.length), (n) =>
      create(pets, { name: `pet ${created.length + n}`, status: statuses[n % statuses.length] as PetStatus }),
    );
    created.push(...batch);
  }
  return inOrder(created);
}

// The cases compare plain objects. The prototype of a pet is the storage's own affair, so these functions drop it.

export async function create(
  pets: PetRepository,
  parts: Partial<NewPet> = {},
  record?: IdempotencyRecord,
): Promise<Pet> {
  return (await createWith(pets, somePet(parts), record)).pet;
}

/** Creates a pet, and answers the whole creation. */
export async function createWith(
  pets: PetRepository,
  sent: NewPet,
  record?: IdempotencyRecord,
): Promise<Creation> {
  const call = callText("create", [sent, record]);
  const creation = await pets.create(sent, record);
  if (!creation?.pet) expectSame(call, creation, { pet: sent, earlierFingerprint: undefined });
  // The cases compute with it.
  expectSame(`${call}: the type of its id`, typeof creation.pet.id, "bigint");
  return { ...creation, pet: plain(creation.pet) };
}

export async function get(pets: PetRepository, id: bigint): Promise<Pet | undefined> {
  const pet = await pets.get(id);
  return pet && plain(pet);
}

export async function list(pets: PetRepository, range: Partial<PetRange> = {}): Promise<Pet[]> {
  const listed = await pets.list(rangeOf(range));
  if (!Array.isArray(listed)) expectSame(callText("list", [rangeOf(range)]), listed, []);
  return listed.map(plain);
}

function rangeOf(range: Partial<PetRange>): PetRange {
  return { status: undefined, after: 0n, limit: 100_000, ...range };
}

export function plain<Thing extends object>(thing: Thing): Thing {
  return { ...thing };
}

/** Asserts the answer to get; `when` goes on from the call, e.g. ", after a restart,". */
export async function expectGet(
  pets: PetRepository,
  id: bigint,
  pet: Pet | undefined,
  when = "",
): Promise<void> {
  expectSame(`${callText("get", [id])}${when}`, await get(pets, id), pet);
}

/** Asserts the answer to list, of all pets if the range has no part. */
export async function expectList(
  pets: PetRepository,
  range: Partial<PetRange>,
  wanted: readonly Pet[],
  when = "",
): Promise<void> {
  expectSame(`${callText("list", [rangeOf(range)])}${when}`, await list(pets, range), wanted);
}

/** Asserts that get and list show a pet as it is given. */
export async function expectShown(pets: PetRepository, pet: Pet, when = ""): Promise<void> {
  await expectGet(pets, pet.id, pet, when);
  for (const status of [undefined, pet.status]) {
    await expectList(pets, { status, after: pet.id - 1n, limit: 1 }, [pet], when);
  }
}

/** Asserts that a create with another body under the record's key answers the pet, and the record's fingerprint. */
export async function expectReplayed(
  pets: PetRepository,
  pet: Pet,
  { key, fingerprint }: IdempotencyRecord,
  when = "",
): Promise<void> {
  const sent: [NewPet, IdempotencyRecord] = [somePet({ name: "other" }), recordOf(key, "another")];
  const again = await createWith(pets, ...sent);
  expectSame(`${callText("create", sent)}, which repeats an earlier one${when},`, again, {
    pet,
    earlierFingerprint: fingerprint,
  });
}

export function ids(pets: readonly Pet[]): bigint[] {
  return pets.map(({ id }) => id);
}

export function inOrder(pets: readonly Pet[]): Pet[] {
  return [...pets].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Makes `count` promises at once, and waits for all. */
export function atOnce<Result>(count: number, make: (n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => make(n)));
}
