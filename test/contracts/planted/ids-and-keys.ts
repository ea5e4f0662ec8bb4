import { type Bug, bug } from "./bug.js";
import { type Draft, pause, type Row } from "./simple-pets.js";

const highest = (rows: readonly Row[]) => rows.reduce((max, { id }) => (id > max ? id : max), 0n);

/** Bugs: a storage gives wrong ids. */
export const IDS: readonly Bug[] = [
  bug("gives ids as numbers", "gives an id once", (right) => ({
    toPet: (row) => ({ ...right.toPet(row), id: Number(row.id) as unknown as bigint }),
  })),
  ...Object.entries({ 0: -1n, "of 63 bits": 2n ** 62n, "above 2^53": 2n ** 53n, "below 0": -1_000n }).map(
    ([what, shift]) =>
      bug(`gives ids ${what}`, "gives an id once", (right) => ({
        nextId: async () => (await right.nextId()) + shift,
      })),
  ),
  bug(
    "gives max(id) + 1",
    ["gives no id of a pet that is gone", "archive: gives no id that was stored or raised"],
    (_right, disk) => ({
      nextId: async () => highest(disk.rows) + 1n,
      highestId: async () => highest(disk.rows),
    }),
  ),
  bug("gives ids by a counter that it reads and then writes", "gives an id once", (_right, disk) => ({
    transaction: (work) => pause().then(work),
    async nextId() {
      const id = disk.lastId + 1n;
      await pause();
      disk.lastId = id;
      return id;
    },
  })),
  bug("answers callers with one another's pets", "gives an id once", (right, disk) => ({
    async create(pet, record) {
      const creation = await right.create(pet, record);
      await pause(5);
      return { ...creation, pet: right.toPet(disk.rows.at(-1) as Row) };
    },
  })),
  bug(
    "counts ids in the memory of each instance",
    ["gives an id once", "shows each what the other stored"],
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
  bug("counts the rows as it opens for the next id", "gives no id of a pet that is gone", (_right, disk) => {
    disk.lastId = BigInt(disk.rows.length);
    return {};
  }),
];

/** Bugs: a storage misses a repeated create, or takes another create for one. */
export const KEYS: readonly Bug[] = [
  ...Object.entries({
    "ignores case in keys": (key: string) => key.toLowerCase(),
    "ignores spaces around keys": (key: string) => key.trim(),
    "cuts keys at 63 characters": (key: string) => key.slice(0, 63),
    "reads keys as numbers where it can": (key: string) => (/^\d+$/.test(key) ? String(Number(key)) : key),
    "takes keys for paths": (key: string) => key.split(".")[0] as string,
  }).map(([what, change]) =>
    bug(what, "keeps keys apart", (right) => ({
      toDraft: (pet, record) => right.toDraft(pet, record && { ...record, key: change(record.key) }),
    })),
  ),
  bug("cuts fingerprints", "keeps keys apart", (right) => ({
    replay: (earlier, again) => ({
      ...right.replay(earlier, again),
      replayed: earlier.fingerprint?.slice(0, 63),
    }),
  })),
  bug("takes a missing key for a key", "keeps keys apart", (right) => ({
    toDraft: (pet, record) => ({
      ...right.toDraft(pet, record),
      ...{ key: String(record?.key), fingerprint: record?.fingerprint ?? "f" },
    }),
  })),
  bug("answers the body that was sent again", "answers a repeated create with the first", (right) => ({
    replay: (earlier, again) => ({
      ...right.replay(earlier, again),
      pet: right.toPet({ ...again, id: earlier.id }),
    }),
  })),
  bug("stores the body that was sent again", "answers a repeated create with the first", (right) => ({
    replay(earlier, again) {
      const answer = right.replay(earlier, again);
      Object.assign(earlier, { name: again.name });
      return answer;
    },
  })),
  ...Object.entries({
    "answers the fingerprint that was sent again": (again: Draft) => again.fingerprint,
    "does not say that it replays": () => undefined,
  }).map(([what, replayed]) =>
    bug(what, "stores one pet if a key races", (right) => ({
      replay: (earlier, again) => ({ ...right.replay(earlier, again), replayed: replayed(again) }),
    })),
  ),
  bug("rejects a create under a key that is there", "answers a repeated create with the first", () => ({
    replay() {
      throw new Error("duplicate key");
    },
  })),
  bug("looks a key up before its transaction", "stores one pet if a key races", (right) => ({
    async create(pet, record) {
      const earlier = right.findKey(record?.key);
      if (earlier) return right.replay(earlier, right.toDraft(pet, record));
      return right.transaction(async () => {
        const row = { ...right.toDraft(pet, record), id: await right.nextId() };
        await right.insert(row);
        return { pet: right.toPet(row), replayed: undefined };
      });
    },
  })),
  bug(
    "stores the record after the pet, in a step of its own",
    "stores one pet if a key races",
    (right, disk) => ({
      async create(pet, record) {
        const earlier = right.findKey(record?.key);
        if (earlier) return right.replay(earlier, right.toDraft(pet, record));
        const creation = await right.create(pet);
        const row = disk.rows.find(({ id }) => id === creation.pet.id);
        await pause();
        Object.assign(row as Row, record);
        return creation;
      },
    }),
  ),
  bug(
    "keeps keys in memory alone",
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
];
