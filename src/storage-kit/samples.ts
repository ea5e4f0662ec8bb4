import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import type { Storage } from "../application/storage-adapter.js";
import { INT64_MAX, INT64_MIN, type NewPet } from "../domain/pet.js";

/** Numbers that change if a storage truncates or rounds an int64, or drops its sign. */
export const AWKWARD_INT64S: readonly bigint[] = [
  ...[INT64_MIN, INT64_MAX, -1n, 0n],
  ...[31n, 32n, 53n, 62n].flatMap((bits) => [2n ** bits + 1n, -(2n ** bits) - 1n]),
];

/** Valid names that storages, encodings and query languages tend to change. */
export const AWKWARD_NAMES: readonly string[] = [
  ...["👨‍👩‍👧‍👦 Rex 🏳️‍🌈", "\u200fכֶּלֶב \u202eمرحبا\u202c", "🐾".repeat(255), "x".repeat(255)],
  ...[`'"\`´„“«»'';--`, "\\ \\n \\u0000 \\\\ %s %00 $x $1 \\", "__proto__", "$where", "a.b", "%_*?[a-z]"],
  ...[" \u00a0Rex\u2003 ", "Rex   the\u3000\u3000dog", "Rex\u2028and\u2029Bello", "Re\u00adx\u2060\u200b"],
  // Decomposed, composed and compatibility forms, and letters that change with the case.
  ...["e\u0301\u00f1n\u0303", "\u00e9\u1e69", "\ufb01\u212b\u2126\uff32\uff45\uff58", "ıİiI ßẞ ǅ REX rex"],
  ...["0123456789e5", "null", '{"id":1}', "\ufeffRex\ufffe\uffff\u{10ffff}"],
];

/** Idempotency keys that an index, a map or a query may confuse with each other, or with a reserved name. */
export const AWKWARD_KEYS: readonly string[] = [
  ...["key", "KEY", "key ", " key", "__proto__", "constructor", "$where", "a.b", "a", "0", "00", "null"],
  ...["undefined", "fingerprint", "~!@#$%^&*()'\"\\`", "1".padStart(64, "k"), "2".padStart(64, "k")],
];

export function somePet(parts: Partial<NewPet> = {}): NewPet {
  return { name: "Rex", categoryId: 7n, status: "available", ...parts };
}

export function recordOf(key: string, fingerprint = "fingerprint"): IdempotencyRecord {
  return { key, fingerprint };
}

/** Calls each operation of a storage with sample arguments; different numbers never conflict. */
export function callsOf(storage: Storage, n: number): Record<string, () => Promise<unknown>> {
  const { pets, archive } = storage;
  const id = BigInt(n);
  return {
    create: () => pets.create(somePet(), n % 2 ? recordOf(`call ${n}`) : undefined),
    get: () => pets.get(id),
    list: () => pets.list({ status: undefined, after: 0n, limit: n }),
    ping: () => storage.ping(),
    ...(archive && {
      readPets: () => archive.readPets({ after: 0n, limit: n }),
      storePets: () => archive.storePets([{ pet: { ...somePet(), id: 1_000_000n + id }, record: undefined }]),
      countPets: () => archive.countPets(),
      highestId: () => archive.highestId(),
      raiseIds: () => archive.raiseIds(2_000_000n + id),
    }),
  };
}

export function pick<Item>(items: readonly Item[], n: number): Item {
  return items[n % items.length] as Item;
}

export function oneTo(count: number): bigint[] {
  return Array.from({ length: count }, (_, n) => BigInt(n + 1));
}

export function atOnce<Result>(count: number, run: (n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => run(n)));
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
