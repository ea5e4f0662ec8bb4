import type { Creation, PetRange } from "../../../../src/application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../../../src/domain/pet.js";
import type { Row } from "../disk.js";
import { SimplePets } from "../simple-pets.js";
import { type Bug, bug } from "./bug.js";

/** Bugs: a storage reads other pets than it should, or too many. */
export const READS: readonly Bug[] = [
  bug(
    "answers null for no pet",
    ["begins empty", "answers undefined for no pet"],
    class extends SimplePets {
      override async get(id: bigint): Promise<Pet | undefined> {
        return (await super.get(id)) ?? (null as unknown as undefined);
      }
    },
  ),
  bug(
    "cuts an id to 32 bits",
    "answers undefined for no pet",
    class extends SimplePets {
      override get(id: bigint): Promise<Pet | undefined> {
        return super.get(BigInt.asIntN(32, id));
      }
    },
  ),
  bug(
    "answers before it stores",
    "shows a pet at once",
    class extends SimplePets {
      protected override insert(row: Row): void {
        setTimeout(() => super.insert(row), 20);
      }
    },
  ),
  bug(
    "keeps the pages that it read",
    "shows a pet at once",
    class extends SimplePets {
      private readonly pages = new Map<string, Pet[]>();
      override async list(range: PetRange): Promise<Pet[]> {
        const key = `${range.status} ${range.after} ${range.limit}`;
        const page = this.pages.get(key) ?? (await super.list(range));
        // The storage remembers a short page as well, although such a page may grow.
        this.pages.set(key, page);
        await super.list({ ...range, after: range.after + 1n });
        return page.map((pet) => ({ ...pet }));
      }
      override async create(pet: NewPet): Promise<Creation> {
        await this.list({ status: undefined, after: this.disk.lastId, limit: 1 });
        return super.create(pet);
      }
    },
  ),
  bug(
    "lists in the order of arrival",
    "lists by id",
    class extends SimplePets {
      override async list(range: PetRange): Promise<Pet[]> {
        return (await super.list(range)).sort((a, b) => Number(b.id % 5n) - Number(a.id % 5n));
      }
    },
  ),
  bug(
    "lists by id as text",
    "lists by id",
    class extends SimplePets {
      override async list(range: PetRange): Promise<Pet[]> {
        return (await super.list(range)).sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1));
      }
    },
  ),
  bug(
    "ignores the status",
    "lists by status",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        return super.list({ ...range, status: undefined });
      }
    },
  ),
  bug(
    "begins with the id `after`",
    "lists after an id",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        return super.list({ ...range, after: range.after - 1n });
      }
    },
  ),
  bug(
    "takes a large `after` for none",
    "lists after an id",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        return super.list({ ...range, after: BigInt.asIntN(32, range.after) });
      }
    },
  ),
  bug(
    "answers one pet too few",
    "fills a page",
    class extends SimplePets {
      override async list(range: PetRange): Promise<Pet[]> {
        return super.list(range.limit > 6 ? range : { ...range, limit: Math.max(1, range.limit - 1) });
      }
    },
  ),
  bug(
    "answers one pet too many",
    "fills a page",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        return super.list({ ...range, limit: range.limit + 1 });
      }
    },
  ),
  bug(
    "filters by status after the limit",
    "fills a page from afar",
    class extends SimplePets {
      override async list({ status, ...range }: PetRange): Promise<Pet[]> {
        const page = await super.list({ ...range, limit: range.limit + 20, status: undefined });
        return page.filter((pet) => !status || pet.status === status).slice(0, range.limit);
      }
    },
  ),
  bug(
    "caps the limit at what HTTP asks",
    "knows no greatest limit",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        return super.list({ ...range, limit: Math.min(range.limit, 101) });
      }
    },
  ),
  bug(
    "pages from the newest pet",
    "loses no pet in a walk",
    class extends SimplePets {
      override async list(range: PetRange): Promise<Pet[]> {
        const all = await super.list({ ...range, limit: 1_000 });
        return range.limit === 3 && all.length > 25 ? all.slice(-3) : all.slice(0, range.limit);
      }
    },
  ),
  bug(
    "sorts all rows for each list",
    "reads no more than it answers",
    class extends SimplePets {
      override list(range: PetRange): Promise<Pet[]> {
        this.disk.rowsRead += this.disk.rows.length;
        return super.list(range);
      }
    },
  ),
  bug(
    "looks a key up without an index",
    "reads no more than it answers",
    class extends SimplePets {
      protected override findKey(key: string | undefined): Row | undefined {
        this.disk.rowsRead += this.disk.rows.length;
        return super.findKey(key);
      }
    },
  ),
  bug(
    "counts all pets for a ping",
    "reads no more than it answers",
    class extends SimplePets {
      override async ping(): Promise<void> {
        this.disk.rowsRead += this.disk.rows.length;
      }
    },
  ),
];
