import { storageUnavailable } from "../../../src/domain/errors.js";
import { type Bug, bug } from "./bug.js";
import { pause, type Row } from "./simple-pets.js";

const RESTART = "keeps everything over a restart";
const DEATH = "keeps everything over a death";
const CLOSE = "finishes before it closes";

/** Bugs: a storage fails to open, to close, to survive a death, or to share. */
export const LIVES: readonly Bug[] = [
  bug("rejects ping if it is empty", "resolves ping", (_right, disk) => ({
    async ping() {
      if (disk.rows.length === 0) throw new Error("no rows");
    },
  })),
  bug("rejects a close", "resolves ping", () => ({
    async close() {
      throw new Error("cannot be closed");
    },
  })),
  ...Object.entries({ "fails waiting creates": true, "drops waiting creates": false }).map(([what, fails]) =>
    bug(`${what} as it closes`, CLOSE, (right, _disk, pets) => ({
      async close() {
        pets.closed = true;
      },
      async insert(row) {
        if (!pets.closed) await right.insert(row);
        else if (fails) throw new Error("closed");
      },
    })),
  ),
  // Each writes rows in one way and reads them in another.
  ...Object.entries({
    "stores int64 as JSON numbers": ({ categoryId }: Row) => ({ categoryId: BigInt(Number(categoryId)) }),
    "stores Latin-1": ({ name }: Row) => ({ name: Buffer.from(name, "latin1").toString("latin1") }),
    "stores lines that a name may end": ({ name }: Row) => ({ name: name.split("\u2028")[0] as string }),
    "stores no status": () => ({ status: "available" as const }),
    "stores no records": () => ({ key: undefined, fingerprint: undefined }),
  }).map(([what, change]) =>
    bug(what, RESTART, (_right, disk) => {
      disk.rows = disk.rows.map((row) => ({ ...row, ...change(row) }));
      return {};
    }),
  ),
  bug("loses the last row as it opens", RESTART, (_right, disk) => {
    disk.rows = disk.rows.slice(0, -1);
    return {};
  }),
  bug("writes a moment after it answered", DEATH, (right) => ({
    insert: async (row) => void pause(5).then(() => right.insert(row)),
  })),
  bug("writes only as it closes", DEATH, (_right, disk) => {
    const buffer: Row[] = [];
    return {
      insert: async (row) => void buffer.push(row),
      async close() {
        disk.rows.push(...buffer.splice(0));
      },
    };
  }),
  bug("keeps the process from ending", "lets the process end", (_right, disk) => {
    disk.hold = true;
    return {};
  }),
  bug(
    "lists the pets that it read first, whatever others store",
    "shows each what the other stored",
    (right, disk) => {
      let known: readonly Row[] | undefined;
      return {
        async list(range) {
          known ??= [...disk.rows];
          return (await right.list(range)).filter(({ id }) => known?.some((row) => row.id === id));
        },
      };
    },
  ),
  bug("closes the database for all", "shows each what the other stored", (right, disk) => ({
    async close() {
      await right.close();
      disk.away = true;
    },
  })),
];

/** Bugs: a storage behaves wrongly in an outage. */
export const OUTAGES: readonly Bug[] = [
  bug("resolves ping whatever happens", "outage: rejects in time", () => ({ async ping() {} })),
  ...Object.entries({
    "rejects with an error of its driver": new Error("ECONNREFUSED"),
    "rejects with an error that has the code and not the brand": Object.assign(new Error("away"), {
      code: "storage_unavailable",
    }),
  }).map(([what, error]) =>
    bug(what, "outage: rejects in time", (right, disk) => ({
      async get(id) {
        if (disk.away) throw error;
        return right.get(id);
      },
    })),
  ),
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
