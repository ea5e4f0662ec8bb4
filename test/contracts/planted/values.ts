import type { Pet } from "../../../src/domain/pet.js";
import { type Bug, bug } from "./bug.js";
import type { Draft, Row } from "./simple-pets.js";

/** Bugs: a storage stores or answers other values than the sent ones. */
export const VALUES: readonly Bug[] = [
  ...Object.entries({
    "trims names": (name: string) => name.trim(),
    "composes letters (NFC)": (name: string) => name.normalize("NFC"),
    "decomposes letters (NFD)": (name: string) => name.normalize("NFD"),
    "cuts names at 255 UTF-16 units": (name: string) => name.slice(0, 255),
    "cuts names at 255 bytes": (name: string) => Buffer.from(name).subarray(0, 255).toString(),
    "stores Latin-1": (name: string) => Buffer.from(name, "latin1").toString("latin1"),
    "stores three bytes of UTF-8 at most, without emoji": (name: string) =>
      name.replace(/\p{Cs}|[^\0-\uffff]/gu, "?"),
    "drops a byte order mark": (name: string) => name.replace(/^\ufeff/, ""),
    "replaces noncharacters": (name: string) => name.replace(/[\ufffe\uffff]/g, "\ufffd"),
    "reads a backslash in a name as an escape": (name: string) => name.replace(/\\n/g, "\n"),
    "takes a line separator for the end": (name: string) => name.split("\u2028")[0] as string,
    "drops invisible letters": (name: string) => name.replace(/\p{Cf}/gu, ""),
    "lets spaces in a row be one": (name: string) => name.replace(/ +/g, " "),
    "reads the name null as empty": (name: string) => (name === "null" ? "" : name),
  }).map(([what, change]) =>
    bug(what, "is exact in names", (right) => ({
      toPet: (row) => ({ ...right.toPet(row), name: change(row.name) }),
    })),
  ),
  ...Object.entries({
    "keeps a categoryId as a double": (id: bigint) => BigInt(Number(id)),
    "reads a categoryId without its sign": (id: bigint) => BigInt.asUintN(64, id),
    "cuts a categoryId to 32 bits": (id: bigint) => BigInt.asIntN(32, id),
    "takes the categoryId 0 for none": (id: bigint) => id || 1n,
  }).map(([what, change]) =>
    bug(what, "is exact in int64", (right) => ({
      toPet: (row) => ({ ...right.toPet(row), categoryId: change(row.categoryId) }),
    })),
  ),
  bug("answers every pet as available", "answers what was sent", (right) => ({
    toPet: (row) => ({ ...right.toPet(row), status: "available" }),
  })),
  bug("takes the id that was sent", "answers what was sent", (right) => {
    let sent: bigint | undefined;
    return {
      toDraft(pet, record) {
        sent = (pet as Partial<Pet>).id;
        return right.toDraft(pet, record);
      },
      nextId: async () => sent ?? right.nextId(),
    };
  }),
  bug("stores members that nobody asked for", "answers what was sent", (right) => ({
    toDraft: (pet, record) => ({ ...pet, ...right.toDraft(pet, record) }),
    toPet: ({ key: _key, fingerprint: _fingerprint, ...pet }: Row) => pet,
  })),
  bug("takes twins for one", "answers what was sent", (right, disk) => ({
    async create(pet, record) {
      const twin = disk.rows.find(({ name, status }) => name === pet.name && status === pet.status);
      return twin && !record ? { pet: right.toPet(twin), replayed: undefined } : right.create(pet, record);
    },
  })),
  bug("keeps the object that was sent", "copies what goes in", (right) => ({
    toDraft: (pet, record) => withGetter(right.toDraft(pet, record), "name", () => pet.name),
  })),
  bug("keeps the record that was sent", "copies what goes in", (right) => ({
    toDraft: (pet, record) => withGetter(right.toDraft(pet, record), "key", () => record?.key),
  })),
  bug("hands out the rows that it stores", "hands out copies", (right) => {
    const pets = new Map<bigint, Pet>();
    return {
      toPet(row) {
        if (!pets.has(row.id)) pets.set(row.id, right.toPet(row));
        return pets.get(row.id) as Pet;
      },
    };
  }),
];

function withGetter(draft: Draft, name: keyof Draft, get: () => unknown): Draft {
  return Object.defineProperty(draft, name, { get, enumerable: true });
}
