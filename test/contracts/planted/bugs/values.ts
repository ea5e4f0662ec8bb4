import type { Creation, IdempotencyRecord } from "../../../../src/application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../../../src/domain/pet.js";
import type { Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug, type Draft } from "./bug.js";

/** Bugs: a storage stores or answers other values than the sent ones. */
export const VALUES: readonly Bug[] = [
  bug(
    "keeps the object that was sent",
    "copies what goes in",
    class extends SimplePets {
      protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
        const [key, fingerprint] = [record?.key, record?.fingerprint];
        return Object.defineProperties(super.toRow(pet, record), {
          name: { get: () => pet.name, enumerable: true },
          key: { value: key, enumerable: true },
          fingerprint: { value: fingerprint, enumerable: true },
        });
      }
    },
  ),
  bug(
    "keeps the record that was sent",
    "copies what goes in",
    class extends SimplePets {
      protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
        return Object.defineProperties(super.toRow(pet, record), {
          key: { get: () => record?.key, enumerable: true },
        });
      }
    },
  ),
  bug(
    "hands out the rows that it stores",
    "hands out copies",
    class extends SimplePets {
      private readonly pets = new Map<bigint, Pet>();
      protected override toPet(row: Row): Pet {
        if (!this.pets.has(row.id)) this.pets.set(row.id, super.toPet(row));
        return this.pets.get(row.id) as Pet;
      }
    },
  ),
  bug(
    "takes the id that was sent",
    "takes no id from outside",
    class extends SimplePets {
      private sent: bigint | undefined;
      protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
        this.sent = (pet as Partial<Pet>).id;
        return super.toRow(pet, record);
      }
      protected override async nextId(): Promise<bigint> {
        return this.sent ?? super.nextId();
      }
    },
  ),
  bug(
    "stores members that nobody asked for",
    "takes no id from outside",
    class extends SimplePets {
      protected override toRow(pet: NewPet, record?: IdempotencyRecord): Draft {
        return { ...pet, ...super.toRow(pet, record) };
      }
      protected override toPet({ key: _key, fingerprint: _fingerprint, ...pet }: Row): Pet {
        return pet;
      }
    },
  ),
  bug(
    "takes twins for one",
    "keeps twins apart",
    class extends SimplePets {
      override async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
        const twin = this.disk.rows.find(({ name }) => name === pet.name);
        return twin && !record ? { pet: this.toPet(twin), replayed: undefined } : super.create(pet, record);
      }
    },
  ),
  ...Object.entries({
    "trims names": (name: string) => name.trim(),
    "composes letters (NFC)": (name: string) => name.normalize("NFC"),
    "decomposes letters (NFD)": (name: string) => name.normalize("NFD"),
    "cuts names at 255 UTF-16 units": (name: string) => name.slice(0, 255),
    "cuts names at 255 bytes": (name: string) => Buffer.from(name).subarray(0, 255).toString(),
    "stores Latin-1": (name: string) => Buffer.from(name, "latin1").toString("latin1"),
    "drops a byte order mark": (name: string) => name.replace(/^\ufeff/, ""),
    "replaces noncharacters": (name: string) => name.replace(/[\ufffe\uffff]/g, "\ufffd"),
    "reads a backslash in a name as an escape": (name: string) => name.replace(/\\n/g, "\n"),
    "takes a line separator for the end": (name: string) => name.split("\u2028")[0] as string,
    "drops invisible letters": (name: string) => name.replace(/\p{Cf}/gu, ""),
    "reads the name null as empty": (name: string) => (name === "null" ? "" : name),
  }).map(([what, change]) =>
    bug(
      what,
      "is exact in names",
      class extends SimplePets {
        protected override toPet(row: Row): Pet {
          return { ...super.toPet(row), name: change(row.name) };
        }
      },
    ),
  ),
  ...Object.entries({
    "keeps a categoryId as a double": (id: bigint) => BigInt(Number(id)),
    "reads a categoryId without its sign": (id: bigint) => BigInt.asUintN(64, id),
    "cuts a categoryId to 32 bits": (id: bigint) => BigInt.asIntN(32, id),
    "takes the categoryId 0 for none": (id: bigint) => id || 1n,
  }).map(([what, change]) =>
    bug(
      what,
      "is exact in int64",
      class extends SimplePets {
        protected override toPet(row: Row): Pet {
          return { ...super.toPet(row), categoryId: change(row.categoryId) };
        }
      },
    ),
  ),
  bug(
    "answers every pet as available",
    "answers what was sent",
    class extends SimplePets {
      protected override toPet(row: Row): Pet {
        return { ...super.toPet(row), status: "available" };
      }
    },
  ),
];
