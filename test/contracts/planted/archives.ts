import type { ArchivedPet } from "../../../src/application/ports/pet-archive.js";
import { type Bug, bug } from "./bug.js";
import type { Disk } from "./simple-pets.js";

const READING = "archive: reads pets with their records";
const STORES = "archive: stores pets under their ids";
const ABOVE = "archive: gives no id that was stored or raised";
const CONFLICT = "archive: refuses a conflict";

type Pets = readonly ArchivedPet[];

/** Bugs: an archive changes or loses pets that move. */
export const ARCHIVES: readonly Bug[] = [
  bug("reads no records", READING, (right) => ({
    toArchived: (row) => ({ pet: right.toPet(row), record: undefined }),
  })),
  bug("tells the last fingerprint of a record", READING, (right) => ({
    replay(earlier, again) {
      const answer = right.replay(earlier, again);
      Object.assign(earlier, { fingerprint: again.fingerprint });
      return answer;
    },
  })),
  bug("reads from the id `after` on", READING, (right) => ({
    readPets: (range) => right.readPets({ ...range, after: range.after - 1n }),
  })),
  bug("reads in the order of arrival", STORES, (right) => ({
    readPets: async (range) => (await right.readPets(range)).reverse(),
  })),
  bug("reads at most 999 at a time", STORES, (right) => ({
    readPets: (range) => right.readPets({ ...range, limit: Math.min(range.limit, 999) }),
  })),
  bug("counts with a bigint", READING, (right) => ({
    countPets: async () => BigInt(await right.countPets()) as unknown as number,
  })),
  bug("stores pets under ids of its own", STORES, (right) => ({
    insert: async (row) => right.insert({ ...row, id: await right.nextId() }),
  })),
  ...Object.entries({
    "stores no records": (pets: Pets) => pets.map(({ pet }) => ({ pet, record: undefined })),
    "stores the first 500 of a batch": (pets: Pets) => pets.slice(0, 500),
    "stores int64 as a double": (pets: Pets) =>
      pets.map(({ pet, record }) => ({
        pet: { ...pet, categoryId: BigInt(Number(pet.categoryId)) },
        record,
      })),
    "ignores ids below the highest": (pets: Pets, { lastId }: Disk) =>
      pets.filter(({ pet }) => pet.id > lastId),
  }).map(([what, change]) =>
    bug(what, STORES, (right, disk) => ({
      storePets: (pets) => right.storePets(change(pets, disk)),
    })),
  ),
  bug("refuses a batch that is stored already", STORES, () => ({
    isSame: () => false,
  })),
  bug("keeps a stored pet, and does not say that the given one differs", CONFLICT, () => ({
    isSame: () => true,
  })),
  bug("overwrites a stored pet", CONFLICT, (_right, disk) => ({
    isSame(one, other) {
      disk.rows = disk.rows.map((row) => (row === one ? other : row));
      return true;
    },
  })),
  bug("does not compare records", CONFLICT, (right) => ({
    isSame: (one, other) => right.isSame({ ...one, key: other.key, fingerprint: other.fingerprint }, other),
  })),
  bug("rejects a conflict with an error of its driver", CONFLICT, (right) => ({
    storePets: (pets) =>
      right.storePets(pets).catch(() => {
        throw new Error("duplicate key");
      }),
  })),
  bug("does not raise its ids by what it stores", ABOVE, (right, disk) => ({
    async storePets(pets) {
      const { lastId } = disk;
      await right.storePets(pets);
      disk.lastId = lastId;
    },
  })),
  bug("answers max(id) as the highest", "gives no id of a pet that is gone", (_right, disk) => ({
    highestId: async () => disk.rows.reduce((max, { id }) => (id > max ? id : max), 0n),
  })),
  bug("answers the next id as the highest, as a number", ABOVE, (_right, disk) => ({
    highestId: async () => Number(disk.lastId) as unknown as bigint,
  })),
  bug("lowers ids as well as raises them", ABOVE, (_right, disk) => ({
    raise(id) {
      disk.lastId = id;
    },
  })),
  bug("gives ids beyond 2^53", ABOVE, (_right, disk) => ({
    async nextId() {
      disk.lastId += 1n;
      return disk.lastId;
    },
  })),
  bug("raises ids in memory alone", ABOVE, (right, disk) => {
    let raised = 0n;
    return {
      async raiseIds(id) {
        raised = id > raised ? id : raised;
      },
      highestId: async () => (raised > disk.lastId ? raised : disk.lastId),
      nextId() {
        if (raised > disk.lastId) disk.lastId = raised;
        raised = 0n;
        return right.nextId();
      },
    };
  }),
  bug(
    "gives ids of its block that another instance has stored",
    "archive: raises ids of every instance",
    (_right, disk) => {
      let [next, end] = [0n, 0n];
      return {
        async nextId() {
          if (next === end) {
            next = disk.lastId;
            end = next + 100n;
            disk.lastId = end;
          }
          next += 1n;
          return next;
        },
      };
    },
  ),
];
