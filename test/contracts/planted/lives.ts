import { storageUnavailable } from "../../../src/domain/errors.js";
import { type Bug, bug } from "./bug.js";
import { type Disk, pause, type Row } from "./simple-pets.js";

const RESTART = "keeps everything over a restart";
const DEATH = "keeps everything over a death";
const CLOSE = "finishes before it closes";

/** Changes every row as the storage opens, as one does that writes a file in one way and reads it in another. */
function opensWith(change: (row: Row) => Partial<Row>): (right: unknown, disk: Disk) => object {
  return (_right, disk) => {
    disk.rows = disk.rows.map((row) => ({ ...row, ...change(row) }));
    return {};
  };
}

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
  bug("closes without waiting", CLOSE, (right, _disk, pets) => ({
    async close() {
      pets.closed = true;
    },
    async insert(row) {
      if (pets.closed) throw new Error("closed");
      await right.insert(row);
    },
  })),
  bug("drops waiting creates as it closes", CLOSE, (right, _disk, pets) => ({
    async close() {
      pets.closed = true;
    },
    async insert(row) {
      if (!pets.closed) await right.insert(row);
    },
  })),
  bug(
    "stores int64 as JSON numbers",
    RESTART,
    opensWith((row) => ({ categoryId: BigInt(Number(row.categoryId)) })),
  ),
  bug(
    "stores Latin-1",
    RESTART,
    opensWith((row) => ({ name: Buffer.from(row.name, "latin1").toString("latin1") })),
  ),
  bug(
    "stores lines that a name may end",
    RESTART,
    opensWith((row) => ({ name: row.name.split("\u2028")[0] ?? "" })),
  ),
  bug(
    "stores no status",
    RESTART,
    opensWith(() => ({ status: "available" })),
  ),
  bug(
    "stores no records",
    RESTART,
    opensWith(() => ({ key: undefined, fingerprint: undefined })),
  ),
  bug("loses the last row as it opens", RESTART, (_right, disk) => {
    disk.rows = disk.rows.slice(0, -1);
    return {};
  }),
  bug("begins anew as it opens", RESTART, (_right, disk) => {
    disk.rows = [];
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
  bug("rejects with an error of its driver", "outage: rejects in time", (right, disk) => ({
    async get(id) {
      if (disk.away) throw new Error("ECONNREFUSED");
      return right.get(id);
    },
  })),
  bug(
    "rejects with an error that has the code and not the brand",
    "outage: rejects in time",
    (right, disk) => ({
      async get(id) {
        if (disk.away) throw Object.assign(new Error("away"), { code: "storage_unavailable" });
        return right.get(id);
      },
    }),
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
