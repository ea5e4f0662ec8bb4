import type { PetRange } from "../../../src/application/ports/pet-repository.js";
import type { Pet } from "../../../src/domain/pet.js";
import { type Bug, bug } from "./bug.js";
import { pause } from "./simple-pets.js";

const FOUND_BY_A_PAGE = "lists by id";

/** Bugs: a storage reads other pets than it should, or too many. */
export const READS: readonly Bug[] = [
  bug("answers null for no pet", "answers undefined for no pet", (right) => ({
    get: async (id) => (await right.get(id)) ?? (null as unknown as undefined),
  })),
  bug("rejects a get of no pet", "answers undefined for no pet", (right) => ({
    async get(id) {
      const pet = await right.get(id);
      if (!pet) throw new Error("not found");
      return pet;
    },
  })),
  bug("cuts an id to 32 bits", "answers undefined for no pet", (right) => ({
    get: (id) => right.get(BigInt.asIntN(32, id)),
  })),
  bug("reads an id as a double", "answers undefined for no pet", (right) => ({
    get: async (id) =>
      Number(id) === Number(id - 1n) ? { id, name: "", categoryId: 0n, status: "sold" } : right.get(id),
  })),
  bug("answers before it stores", "shows a pet at once", (right) => ({
    insert: async (row) => void pause(20).then(() => right.insert(row)),
  })),
  bug("keeps the pages that it read", "shows a pet at once", (right, disk) => {
    const pages = new Map<string, Promise<Pet[]>>();
    function list(range: PetRange): Promise<Pet[]> {
      const key = `${range.status} ${range.after} ${range.limit}`;
      if (!pages.has(key)) pages.set(key, right.list(range));
      return pages.get(key) as Promise<Pet[]>;
    }
    return {
      list,
      async create(pet, record) {
        await list({ status: undefined, after: disk.lastId, limit: 1 });
        return right.create(pet, record);
      },
    };
  }),
  bug("lists in the order of arrival", FOUND_BY_A_PAGE, (right) => ({
    list: async (range) => (await right.list(range)).sort((a, b) => Number((b.id % 5n) - (a.id % 5n))),
  })),
  bug("lists by id as text", FOUND_BY_A_PAGE, (right) => ({
    list: async (range) => (await right.list(range)).sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1)),
  })),
  bug("skips as many pets as the number `after`", FOUND_BY_A_PAGE, (right) => ({
    list: async ({ after, ...range }) =>
      (await right.list({ ...range, after: 0n })).slice(Math.max(0, Number(after))),
  })),
  ...Object.entries({
    "begins with the id `after`": ({ after }: PetRange) => ({ after: after - 1n }),
    "takes a large `after` for none": ({ after }: PetRange) => ({ after: BigInt.asIntN(32, after) }),
    "answers one pet too few": ({ limit }: PetRange) => ({
      limit: limit > 6 ? limit : Math.max(1, limit - 1),
    }),
    "answers one pet too many": ({ limit }: PetRange) => ({ limit: limit + 1 }),
    "ignores the limit": () => ({ limit: 10_000 }),
    "caps the limit at what HTTP asks": ({ limit }: PetRange) => ({ limit: Math.min(limit, 101) }),
    "ignores the status": () => ({ status: undefined }),
  }).map(([what, change]) =>
    bug(what, FOUND_BY_A_PAGE, (right) => ({
      list: (range) => right.list({ ...range, ...change(range) }),
    })),
  ),
  bug("filters by status after the limit", "lists by id", (right) => ({
    async list({ status, ...range }: PetRange) {
      const page = await right.list({ ...range, limit: range.limit + 20, status: undefined });
      return page.filter((pet) => !status || pet.status === status).slice(0, range.limit);
    },
  })),
  bug("pages from the newest pet", "loses no pet in a walk", (right) => ({
    async list(range) {
      const all = await right.list({ ...range, limit: 1_000 });
      return range.limit === 3 && all.length > 25 ? all.slice(-3) : all.slice(0, range.limit);
    },
  })),
  bug("sorts all rows for each list", "reads no more than it answers", (right, disk) => ({
    list(range) {
      disk.rowsRead += disk.rows.length;
      return right.list(range);
    },
  })),
  bug("looks a key up without an index", "reads no more than it answers", (right, disk) => ({
    findKey(key) {
      disk.rowsRead += disk.rows.length;
      return right.findKey(key);
    },
  })),
  bug("counts all pets for a ping", "reads no more than it answers", (_right, disk) => ({
    async ping() {
      disk.rowsRead += disk.rows.length;
    },
  })),
];
