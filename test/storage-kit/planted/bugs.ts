import { stat } from "node:fs/promises";
import type { PetRange } from "../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../src/domain/errors.js";
import type { Pet } from "../../../src/domain/pet.js";
import { type Disk, type Draft, pause, type Row, SimplePets } from "./simple-pets.js";

interface Bug {
  readonly what: string;
  /** The names of the cases that must find the bug. */
  readonly foundBy: readonly string[];
  open(disk: Disk): SimplePets;
}

type Steps = Omit<SimplePets, "disk" | "closed">;
type Change = (right: Steps, disk: Disk, pets: SimplePets) => Partial<Steps>;

/**
 * @param change gives the steps that the bug replaces; they may call the right ones of `right`. It is called anew each
 *   time the storage is opened.
 */
function bug(what: string, foundBy: string | readonly string[], change: Change): Bug {
  return {
    what,
    foundBy: [foundBy].flat(),
    open(disk) {
      const pets = new SimplePets(disk);
      const steps = Object.getOwnPropertyNames(SimplePets.prototype).filter((name) => name !== "constructor");
      const right = Object.fromEntries(
        steps.map((name) => [name, (pets[name as keyof SimplePets] as () => void).bind(pets)]),
      );
      return Object.assign(pets, change(right as unknown as Steps, disk, pets));
    },
  };
}

const RAISED = "archive: gives no id that was stored or raised";

const highest = (rows: readonly Row[]) => rows.reduce((max, { id }) => (id > max ? id : max), 0n);

/** Bugs: a storage stores or answers other values than the sent ones. */
const VALUES: readonly Bug[] = [
  bug("composes letters (NFC)", "is exact in names", (right) => ({
    toPet: (row) => ({ ...right.toPet(row), name: row.name.normalize("NFC") }),
  })),
  bug("keeps a categoryId as a double", "is exact in int64", (right) => ({
    toPet: (row) => ({ ...right.toPet(row), categoryId: BigInt(Number(row.categoryId)) }),
  })),
  bug("stores members that nobody asked for", "answers what was sent", (right) => ({
    toDraft: (pet, record) => ({ ...pet, ...right.toDraft(pet, record) }),
    toPet: ({ key: _key, fingerprint: _fingerprint, ...pet }: Row) => pet,
  })),
  bug("takes twins for one", "answers what was sent", (right, disk) => ({
    async create(pet, record) {
      const twin = disk.rows.find(({ name, status }) => name === pet.name && status === pet.status);
      return twin && !record
        ? { pet: right.toPet(twin), earlierFingerprint: undefined }
        : right.create(pet, record);
    },
  })),
  bug("answers before it stores", "shows a pet at once", (right) => ({
    insert: async (row) => void pause(20).then(() => right.insert(row)),
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

/** Bugs: a storage reads other pets than it should, or too many. */
const READS: readonly Bug[] = [
  bug("answers null for no pet", "answers undefined for no pet", (right) => ({
    get: async (id) => (await right.get(id)) ?? (null as unknown as undefined),
  })),
  bug("cuts an id to 32 bits", "answers undefined for no pet", (right) => ({
    get: (id) => right.get(BigInt.asIntN(32, id)),
  })),
  bug("lists by id as text", "lists by id", (right) => ({
    list: async (range) => (await right.list(range)).sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1)),
  })),
  ...Object.entries({
    "begins with the id `after`": ({ after }: PetRange) => ({ after: after - 1n }),
    "takes a large `after` for none": ({ after }: PetRange) => ({ after: BigInt.asIntN(32, after) }),
    "answers one pet too many": ({ limit }: PetRange) => ({ limit: limit + 1 }),
    "caps the limit at what HTTP asks": ({ limit }: PetRange) => ({ limit: Math.min(limit, 101) }),
    "ignores the status": () => ({ status: undefined }),
  }).map(([what, change]) =>
    bug(what, "lists by id", (right) => ({ list: (range) => right.list({ ...range, ...change(range) }) })),
  ),
  bug("reads every row for a page", "costs no more with many pets", (right, disk) => ({
    async list(range) {
      // It takes 10 µs for each, however fast the machine is.
      const end = performance.now() + disk.rows.length / 100;
      while (performance.now() < end);
      return right.list(range);
    },
  })),
  bug("pages from the newest pet", "loses no pet in a walk", (right) => ({
    async list(range) {
      const all = await right.list({ ...range, limit: 1_000 });
      return range.limit === 3 && all.length > 25 ? all.slice(-3) : all.slice(0, range.limit);
    },
  })),
];

/** Bugs: a storage gives wrong ids. */
const IDS: readonly Bug[] = [
  bug("gives ids as numbers", ["answers what was sent", "gives an id once"], (right) => ({
    toPet: (row) => ({ ...right.toPet(row), id: Number(row.id) as unknown as bigint }),
  })),
  ...Object.entries({ 0: -1n, "above 2^53": 2n ** 53n }).map(([what, shift]) =>
    bug(`gives ids ${what}`, "gives an id once", (right) => ({
      nextId: async () => (await right.nextId()) + shift,
    })),
  ),
  bug("answers callers with one another's pets", "gives an id once", (right, disk) => ({
    async create(pet, record) {
      const creation = await right.create(pet, record);
      await pause(5);
      return { ...creation, pet: right.toPet(disk.rows.at(-1) as Row) };
    },
  })),
  bug(
    "counts ids in the memory of each instance",
    ["gives an id once", "shows each what the other stored", "archive: raises ids of every instance"],
    (_right, disk) => {
      let last = disk.lastId;
      return {
        async nextId() {
          last += 1n;
          disk.lastId = last;
          return last;
        },
      };
    },
  ),
  bug("counts ids from 1 after a restart", "gives no id again after a restart", () => {
    let last = 0n;
    return {
      async nextId() {
        last += 1n;
        return last;
      },
    };
  }),
  bug("answers max(id) as the highest", "gives no id of a pet that is gone", (_right, disk) => ({
    highestId: async () => highest(disk.rows),
  })),
  bug("gives max(id) + 1", "gives no id of a pet that is gone", (_right, disk) => ({
    nextId: async () => highest(disk.rows) + 1n,
  })),
];

/** Bugs: a storage misses a repeated create, or takes another create for one. */
const KEYS: readonly Bug[] = [
  bug("ignores case in keys", "keeps keys apart", (right) => ({
    toDraft: (pet, record) => right.toDraft(pet, record && { ...record, key: record.key.toLowerCase() }),
  })),
  bug("cuts fingerprints", "keeps keys apart", (right) => ({
    replay: (earlier, again) => ({
      ...right.replay(earlier, again),
      earlierFingerprint: earlier.fingerprint?.slice(0, 63),
    }),
  })),
  bug("answers the body that was sent again", "answers a repeated create with the first", (right) => ({
    replay: (earlier, again) => ({
      ...right.replay(earlier, again),
      pet: right.toPet({ ...again, id: earlier.id }),
    }),
  })),
  bug("does not say that it replays", "stores one pet if a key races", (right) => ({
    replay: (earlier, again) => ({ ...right.replay(earlier, again), earlierFingerprint: undefined }),
  })),
  bug("lets keys queue in its own process only", "stores one pet if a key races", (right) => {
    let turn: Promise<unknown> = Promise.resolve();
    return {
      transaction(work) {
        const done = turn.then(() => pause()).then(work);
        turn = done.catch(() => undefined);
        return done;
      },
      async nextId() {
        const id = await right.nextId();
        await pause();
        return id;
      },
    };
  }),
  bug(
    "keeps keys in memory",
    ["keeps everything over a restart", "shows each what the other stored"],
    (right) => {
      const keys = new Map<string, Row>();
      return {
        async insert(row) {
          if (row.key) keys.set(row.key, row);
          await right.insert(row);
        },
        findKey: (key) => (key === undefined ? key : keys.get(key)),
      };
    },
  ),
];

/** Bugs: a storage fails to open, to close, to survive a death, or to share. */
const LIVES: readonly Bug[] = [
  bug("rejects ping if it is empty", "resolves ping", (_right, disk) => ({
    async ping() {
      if (disk.rows.length === 0) throw new Error("no rows");
    },
  })),
  bug("drops waiting creates as it closes", "finishes before it closes", (right, _disk, pets) => ({
    async close() {
      pets.closed = true;
    },
    async insert(row) {
      if (!pets.closed) await right.insert(row);
    },
  })),
  bug("loses the last row as it opens", "keeps everything over a restart", (_right, disk) => {
    disk.rows = disk.rows.slice(0, -1);
    return {};
  }),
  bug("writes a moment after it answered", "keeps everything over a death", (right) => ({
    insert: async (row) => void pause(5).then(() => right.insert(row)),
  })),
  bug("writes the record a moment after it answered", "keeps everything over a death", (right, disk) => ({
    async insert(row) {
      await right.insert({ ...row, key: undefined });
      void pause(5).then(() => {
        disk.rows = disk.rows.map((one) => (one.id === row.id ? row : one));
      });
    },
  })),
  bug("makes what it may not make", "makes nothing that it may not make", () => ({ refuseToMake() {} })),
  bug("gives all one identity", "tells storages apart by identity", () => ({ identity: () => "simple" })),
  bug("gives each instance an identity", "tells storages apart by identity", () => ({
    identity: () => `${Math.random()}`,
  })),
  bug("never closes", "resolves ping", () => ({ close: () => new Promise(() => {}) })),
  bug("keeps the process from ending", "lets the process end", (_right, disk) => {
    disk.hold = true;
    return {};
  }),
  bug("lists the pets that it read first", "shows each what the other stored", (right, disk) => {
    let known: readonly Row[] | undefined;
    return {
      async list(range) {
        known ??= [...disk.rows];
        return (await right.list(range)).filter(({ id }) => known?.some((row) => row.id === id));
      },
    };
  }),
  bug("closes the database for all", "shows each what the other stored", (right, disk) => ({
    async close() {
      await right.close();
      disk.away = true;
    },
  })),
];

/** Bugs: an archive changes or loses pets that move. */
const ARCHIVES: readonly Bug[] = [
  bug("makes a round trip for each pet", "archive: moves a batch in a few round trips", (right) => ({
    async insert(row) {
      await stat(".");
      await right.insert(row);
    },
  })),
  bug("says of pets alone that it holds more", "archive: says what it does not move", () => ({
    unarchived: async () => "orders",
  })),
  bug("counts no pets", "archive: moves a batch in a few round trips", () => ({ countPets: async () => 0 })),
  bug("counts with a bigint", "archive: reads pets with their records", (right) => ({
    countPets: async () => BigInt(await right.countPets()) as unknown as number,
  })),
  bug("reads no records", "archive: reads pets with their records", (right) => ({
    toArchived: (row) => ({ pet: right.toPet(row), record: undefined }),
  })),
  bug("stores pets under ids of its own", "archive: stores pets under their ids", (right) => ({
    insert: async (row) => right.insert({ ...row, id: await right.nextId() }),
  })),
  bug("stores the first 500 of a batch", "archive: stores pets under their ids", (right) => ({
    storePets: (pets) => right.storePets(pets.slice(0, 500)),
  })),
  bug("refuses a batch that is stored", "archive: stores pets under their ids", () => ({
    isSame: () => false,
  })),
  bug("does not say that pets differ", "archive: refuses a conflict", () => ({ isSame: () => true })),
  bug("overwrites the pet of a conflict", "archive: refuses a conflict", (_right, disk) => ({
    isSame(one, other) {
      disk.rows = disk.rows.map((row) => (row === one ? other : row));
      return false;
    },
  })),
  bug("answers a number as the highest id", RAISED, (_right, disk) => ({
    highestId: async () => Number(disk.lastId) as unknown as bigint,
  })),
  bug("does not raise its ids by what it stores", RAISED, (right, disk) => ({
    async storePets(pets) {
      const { lastId } = disk;
      await right.storePets(pets);
      disk.lastId = lastId;
    },
  })),
  bug("lowers ids as well as raises them", RAISED, (_right, disk) => ({
    raise(id) {
      disk.lastId = id;
    },
  })),
  bug("forgets the raised ids as it opens", RAISED, (_right, disk) => {
    disk.lastId = highest(disk.rows);
    return {};
  }),
  bug("gives ids beyond 2^53", RAISED, (_right, disk) => ({
    async nextId() {
      disk.lastId += 1n;
      return disk.lastId;
    },
  })),
];

/** Bugs: a storage behaves wrongly in an outage. */
const OUTAGES: readonly Bug[] = [
  bug("resolves ping whatever happens", "outage: rejects in time", () => ({ async ping() {} })),
  bug("rejects with an error of its driver", "outage: rejects in time", (right, disk) => ({
    async get(id) {
      if (disk.away) throw new Error("ECONNREFUSED");
      return right.get(id);
    },
  })),
  bug("waits for ever", "outage: rejects in time", (right, disk) => ({
    async list(range) {
      while (disk.away) await pause(50);
      return right.list(range);
    },
  })),
  bug("does not connect again", "outage: rejects in time", (right, disk) => {
    let dead = false;
    return {
      async select(where, limit) {
        dead ||= disk.away;
        if (dead) throw storageUnavailable(new Error("The connection is closed."));
        return right.select(where, limit);
      },
    };
  }),
  bug("answers creates before they are safe", "outage: loses nothing it answered", (right, disk) => ({
    async insert(row) {
      await right.insert(row);
      void pause(200).then(() => {
        if (disk.away) disk.rows = disk.rows.filter(({ id }) => id !== row.id);
      });
    },
  })),
];

/** Bugs: a storage opens wrongly while its server is away, or waits for ever for a silent one. */
const PAUSES: readonly Bug[] = [
  bug("cannot open while its server is away", "outage: opens", (_right, disk) => {
    if (disk.away) throw new Error("ECONNREFUSED");
    return {};
  }),
  bug("does not connect later if it could not as it opened", "outage: opens", (right, disk) => {
    const dead = disk.away;
    return {
      async reach() {
        if (dead) throw storageUnavailable(new Error("The connection is closed."));
        await right.reach();
      },
    };
  }),
  bug("waits for ever for an answer", "pause: rejects in time", (right, disk) => ({
    async reach() {
      while (disk.silent) await pause(50);
      await right.reach();
    },
  })),
  bug("waits for ever for the greeting of a server", "pause: opens", (right, disk) => {
    let greeted = !disk.silent;
    return {
      async reach() {
        while (!greeted && disk.silent) await pause(50);
        greeted = true;
        await right.reach();
      },
    };
  }),
  bug("forgets the key of a create that got no answer", "pause: loses nothing it answered", (right, disk) => {
    let held = false;
    return {
      async insert(row) {
        await right.insert(row);
        if (held || disk.rows.length < 4) return;
        held = true;
        // This one is on its way as the storage falls silent.
        for (let waited = 0; !disk.silent && waited < 4000; waited += 20) await pause(20);
        disk.rows = disk.rows.map((one) => (one.id === row.id ? { ...one, key: undefined } : one));
        throw storageUnavailable(new Error("no answer"));
      },
    };
  }),
];

/** A case that reads a table of samples needs no bug for each row. */
export const BUGS = [...VALUES, ...READS, ...IDS, ...KEYS, ...LIVES, ...ARCHIVES, ...OUTAGES, ...PAUSES];
