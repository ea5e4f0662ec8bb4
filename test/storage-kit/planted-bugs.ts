import { isPetConflict, PetConflict } from "../../src/application/ports/pet-archive.js";
import type { StorageReading } from "../../src/application/storage-adapter.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import type { Pet } from "../../src/domain/pet.js";
import { sleep } from "../../src/storage-kit/samples.js";
import { type Change, Disk, type Row } from "./simple-storage.js";

interface Bug {
  readonly what: string;
  readonly foundBy: readonly string[];
  readonly change: Change;
}

function bug(what: string, foundBy: string | readonly string[], change: Change): Bug {
  return { what, foundBy: [foundBy].flat(), change };
}

const RAISED = "archive: gives no id that was stored or raised";

const READING: StorageReading = { name: "simple", help: "Pets.", type: "gauge", read: () => 0 };

function reading(what: string, changes: Partial<StorageReading>): Bug {
  const change = () => ({ readings: () => [{ ...READING, ...changes }] });
  return bug(`has a reading that ${what}`, "adds readings that can be served", change);
}

function fail(message: string): never {
  throw new Error(message);
}

export const BUGS: readonly Bug[] = [
  bug("stores members that nobody asked for", "answers what was sent", ({ toRow }) => ({
    toRow: (pet, record) => ({ ...pet, ...toRow(pet, record) }),
    toPet: ({ record: _record, ...pet }) => pet,
  })),
  bug("answers before it stores", "shows a pet at once", ({ insert }) => ({
    insert: async (row) => void sleep(20).then(() => insert(row)),
  })),
  bug("keeps the object that was sent", "copies what goes in", ({ toRow }) => ({
    toRow: (pet, record) => Object.defineProperty(toRow(pet, record), "name", { get: () => pet.name }),
  })),
  bug("hands out what it keeps", "hands out copies", ({ toPet }) => {
    const kept = new Map<bigint, Pet>();
    return { toPet: (row) => kept.get(row.id) ?? kept.set(row.id, toPet(row)).get(row.id) ?? row };
  }),
  bug("keeps a categoryId as a double", "is exact in int64", ({ toPet }) => ({
    toPet: (row) => ({ ...toPet(row), categoryId: BigInt(Number(row.categoryId)) }),
  })),
  bug("composes letters (NFC)", "is exact in names", ({ toPet }) => ({
    toPet: (row) => ({ ...toPet(row), name: row.name.normalize("NFC") }),
  })),
  bug("cuts an id to 32 bits", "answers undefined for no pet", ({ get }) => ({
    get: (id) => get(BigInt.asIntN(32, id)),
  })),
  bug("lists by id as text", "lists by id", ({ list }) => ({
    list: async (range) => (await list(range)).sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1)),
  })),
  bug("begins each page a pet later once there are many", "loses no pet in a walk", ({ list }, disk) => ({
    list: ({ after, ...range }) => list({ ...range, after: disk.rows.length > 40 ? after + 1n : after }),
  })),
  bug(
    "counts ids in the memory of each instance",
    ["gives an id once", "archive: raises ids of every instance"],
    (_right, disk) => {
      let last = disk.lastId;
      return { nextId: () => (disk.lastId = ++last) };
    },
  ),
  bug("counts ids from 1 after a restart", "gives no id again after a restart", () => {
    let last = 0n;
    return { nextId: () => ++last };
  }),
  bug("gives max(id) + 1", "gives no id of a pet that is gone", (_right, disk) => ({
    nextId: () => (disk.rows.at(-1)?.id ?? 0n) + 1n,
  })),
  bug("answers the body that was sent again", "answers a repeated create with the first", ({ toPet }) => ({
    replay: ({ id, record }, sent) => ({
      pet: toPet({ ...sent, id }),
      earlierFingerprint: record?.fingerprint,
    }),
  })),
  bug("looks for a key and stores it in two steps", "stores one pet if a key races", ({ insert, reach }) => ({
    transaction: (work) => reach().then(work),
    insert: (row) => reach().then(() => insert(row)),
  })),
  bug("ignores case in keys", "keeps keys apart", ({ toRow }) => ({
    toRow: (pet, record) => toRow(pet, record && { ...record, key: record.key.toLowerCase() }),
  })),
  bug("shows passwords", "takes its URLs", () => ({ mask: (url) => url })),
  bug("shows passwords among the options", "takes its URLs", () => ({
    mask: (url) => url.replace(/:[^:@]*@/, ":***@"),
  })),
  reading("throws", { read: () => fail("no connection") }),
  reading("has no valid name", { name: "pets-stored" }),
  reading("has a name of Node", { name: "process_cpu" }),
  bug("has two readings with one name", "adds readings that can be served", ({ readings }) => ({
    readings: () => [...readings(), ...readings()],
  })),
  bug("has a reading that throws during an outage", "outage: rejects in time", (_right, disk) => ({
    readings: () => [{ ...READING, read: () => (disk.state === "there" ? 0 : fail("no connection")) }],
  })),
  bug("rejects ping if it is empty", "resolves ping", ({ ping }, disk) => ({
    ping: async () => (disk.rows.length === 0 ? fail("no rows") : ping()),
  })),
  bug(
    "keeps keys in memory",
    ["keeps everything over a restart", "shows each what the other stored"],
    ({ insert }) => {
      const keys = new Map<string | undefined, Row>();
      return {
        async insert(row) {
          if (row.record) keys.set(row.record.key, row);
          await insert(row);
        },
        findKey: (key) => keys.get(key),
      };
    },
  ),
  bug("drops waiting creates as it closes", "finishes before it closes", ({ insert }) => {
    let isClosed = false;
    return {
      async close() {
        isClosed = true;
      },
      async insert(row) {
        if (!isClosed) await insert(row);
      },
    };
  }),
  bug("makes what it may not make", "makes nothing that it may not make", () => ({ refuseToMake() {} })),
  bug("opens what is missing, and rejects later", "makes nothing that it may not make", ({ reach }) => {
    let isMissing = false;
    return {
      refuseToMake() {
        isMissing = true;
      },
      reach: async () => (isMissing ? fail("there is no such storage") : reach()),
    };
  }),
  bug("reserves ids as it opens to read", "makes nothing that it may not make", (_right, disk) => ({
    opened(mayMake) {
      if (!mayMake) disk.lastId += 100n;
    },
  })),
  bug("drops records as it opens to read", "makes nothing that it may not make", (_right, disk) => ({
    opened(mayMake) {
      if (!mayMake) disk.rows = disk.rows.map((row) => ({ ...row, record: undefined }));
    },
  })),
  bug("is durable and shared, and denies it", "keeps everything over a death", () => ({
    durable: () => false,
    shared: () => false,
  })),
  bug("is not durable", "keeps everything over a death", () => ({
    shared: () => false,
    diskElsewhere: () => new Disk(),
  })),
  bug("is shared only within one process", "keeps everything over a death", () => ({
    durable: () => false,
    diskElsewhere: () => new Disk(),
  })),
  bug("keeps the process from ending", "lets the process end", () => ({ keepsProcess: () => true })),
  bug("writes the record after it responded", "keeps everything over a death", ({ insert }, disk) => ({
    async insert(row) {
      await insert({ ...row, record: undefined });
      // Runs after the process has died.
      sleep(2000).then(() => {
        disk.rows = disk.rows.map((one) => (one.id === row.id ? row : one));
      });
    },
  })),
  bug("reads no records", "archive: reads pets with their records", ({ readPets }) => ({
    readPets: async (range) => (await readPets(range)).map(({ pet }) => ({ pet, record: undefined })),
  })),
  bug("stores the first 500 of a batch", "archive: stores pets under their ids", ({ storePets }) => ({
    storePets: (pets) => storePets(pets.slice(0, 500)),
  })),
  bug("names the first pet of a batch in a conflict", "archive: refuses a conflict", ({ storePets }) => ({
    storePets: (pets) =>
      storePets(pets).catch((error) => {
        throw isPetConflict(error) && pets[0] ? new PetConflict(pets[0].pet.id) : error;
      }),
  })),
  bug("stores the rest of a batch without its records", "archive: refuses a conflict", ({ storePets }) => ({
    storePets: (pets) =>
      storePets(pets).catch(async (error) => {
        for (const { pet } of pets) await storePets([{ pet, record: undefined }]).catch(() => undefined);
        throw error;
      }),
  })),
  bug("rejects a conflict with an error of its driver", "archive: refuses a conflict", ({ storePets }) => ({
    storePets: (pets) => storePets(pets).catch(() => fail("duplicate key")),
  })),
  bug("raises ids in two steps", RAISED, ({ reach }, disk) => ({
    async raiseIds(id) {
      const { lastId } = disk;
      await reach().then(reach);
      disk.lastId = lastId < id ? id : lastId;
    },
  })),
  bug("writes the count of ids blindly as it creates", RAISED, ({ insert, raise }, disk) => ({
    raiseIds: async (id) => raise(id),
    async insert(row) {
      const { lastId } = disk;
      await sleep(4);
      await insert(row);
      disk.lastId = lastId;
    },
  })),
  bug("writes the count of ids blindly as it stores", RAISED, ({ storePets }, disk) => ({
    async storePets(pets) {
      const { lastId } = disk;
      await sleep(4);
      await storePets(pets);
      disk.lastId = [lastId, ...pets.map(({ pet }) => pet.id)].reduce((a, b) => (a > b ? a : b));
    },
  })),
  bug("stores a batch in two steps", "archive: refuses a conflict", ({ storePets, reach }, disk) => ({
    async storePets(pets) {
      await storePets(pets.filter(({ pet }) => disk.rows.some(({ id }) => id === pet.id)));
      await reach();
      await storePets(pets).catch(() => undefined);
    },
  })),
  bug("overwrites the pet of a conflict", "archive: refuses a conflict", (_right, disk) => ({
    isSame(one, other) {
      disk.rows = disk.rows.map((row) => (row === one ? other : row));
      return false;
    },
  })),
  bug("gives ids that it stored", RAISED, () => ({ raise() {} })),
  bug("rejects with an error of its driver", "outage: rejects in time", ({ get }, disk) => ({
    get: async (id) => (disk.state === "down" ? fail("ECONNREFUSED") : get(id)),
  })),
  bug("does not ask its server for a ping", "outage: rejects in time", () => ({ ping: async () => {} })),
  bug("does not connect again", "outage: rejects in time", ({ reach }) => {
    let failure: Error | undefined;
    return {
      async reach() {
        if (failure) throw failure;
        await reach().catch((error) => {
          failure = error;
          throw error;
        });
      },
    };
  }),
  bug("waits forever for a silent server", "pause: rejects in time", ({ reach }, disk) => ({
    async reach() {
      while (disk.state === "silent") await sleep(50);
      await reach();
    },
  })),
  bug("cannot open while its server is down", ["outage: opens", "pause: opens"], (_right, disk) => {
    return disk.state === "there" ? {} : fail("ECONNREFUSED");
  }),
  bug("waits for its server as it closes", "outage: opens", ({ close }, disk) => ({
    async close() {
      while (disk.state !== "there") await sleep(50);
      await close();
    },
  })),
  bug("answers creates before they are safe", "outage: loses nothing it answered", ({ insert }, disk) => ({
    async insert(row) {
      await insert(row);
      sleep(200).then(() => {
        if (disk.state === "down") disk.rows = disk.rows.filter(({ id }) => id !== row.id);
      });
    },
  })),
  bug(
    "stores a pet without its key and answers nothing",
    ["outage: loses nothing it answered", "pause: loses nothing it answered"],
    ({ create, insert, nextId, toRow }, disk) => ({
      async create(pet, record) {
        if (disk.state === "there") return create(pet, record);
        await insert({ ...toRow(pet), id: nextId() });
        throw storageUnavailable(new Error("no answer"));
      },
    }),
  ),
];
