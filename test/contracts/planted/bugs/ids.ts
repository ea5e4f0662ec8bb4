import type { Creation, IdempotencyRecord } from "../../../../src/application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../../../src/domain/pet.js";
import { pause, type Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug } from "./bug.js";

/** Bugs: a storage gives wrong ids. */
export const IDS: readonly Bug[] = [
  bug(
    "gives ids as numbers",
    "gives ids as bigints in range",
    class extends SimplePets {
      protected override toPet(row: Row): Pet {
        return { ...super.toPet(row), id: Number(row.id) as unknown as bigint };
      }
    },
  ),
  bug(
    "gives the id 0",
    "gives ids as bigints in range",
    class extends SimplePets {
      protected override async nextId(): Promise<bigint> {
        return (await super.nextId()) - 1n;
      }
    },
  ),
  bug(
    "gives ids of 63 bits",
    "gives ids as bigints in range",
    class extends SimplePets {
      protected override async nextId(): Promise<bigint> {
        return (await super.nextId()) + 2n ** 62n;
      }
    },
  ),
  bug(
    "gives max(id) + 1",
    ["gives no id of a pet that is gone", "archive: raises ids", "archive: knows the highest id"],
    class extends SimplePets {
      protected override async nextId(): Promise<bigint> {
        this.disk.lastId = this.disk.rows.reduce((max, { id }) => (id > max ? id : max), 0n) + 1n;
        return this.disk.lastId;
      }
      override async highestId(): Promise<bigint> {
        return this.disk.rows.reduce((max, { id }) => (id > max ? id : max), 0n);
      }
    },
  ),
  bug(
    "gives ids by a counter that it reads and then writes",
    "gives an id once",
    class extends SimplePets {
      protected override transaction<Result>(work: () => Promise<Result>): Promise<Result> {
        return pause().then(work);
      }
      protected override async nextId(): Promise<bigint> {
        const id = this.disk.lastId + 1n;
        await pause();
        this.disk.lastId = id;
        return id;
      }
    },
  ),
  bug(
    "answers callers with one another's pets",
    "gives an id once",
    class extends SimplePets {
      private latest: Pet | undefined;
      override async create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
        const creation = await super.create(pet, record);
        this.latest = creation.pet;
        await pause();
        return { ...creation, pet: { ...this.latest } };
      }
    },
  ),
  bug(
    "counts ids in the memory of each instance",
    ["gives an id once among instances", "shows each what the other stored"],
    class extends SimplePets {
      private last = this.disk.lastId;
      protected override async nextId(): Promise<bigint> {
        this.last += 1n;
        this.disk.lastId = this.last;
        return this.last;
      }
    },
  ),
  bug(
    "counts ids from 1 after a restart",
    "gives no id again after a restart",
    class extends SimplePets {
      private last = 0n;
      protected override async nextId(): Promise<bigint> {
        this.last += 1n;
        return this.last;
      }
    },
  ),
];
