import type { Findings } from "./findings.js";
import type { Random } from "./random.js";

export const STATUSES = ["available", "pending", "sold"] as const;

/** A create that a client wants: it sends the same body under the same key until it gets an answer. */
export interface PlannedPet {
  readonly name: string;
  readonly status: string;
  /** The idempotency key. */
  readonly key: string;
  readonly body: string;
  /** Known from the first answer that shows the pet. */
  id: number | undefined;
}

/** Everything that the service has acknowledged. Compares each later answer with it. */
export class History {
  private readonly planned = new Map<string, PlannedPet>();
  /** The creates that nobody has an answer to, oldest first. */
  readonly open = new Set<PlannedPet>();
  private readonly byId = new Map<number, PlannedPet>();
  /** The ids of acknowledged pets, ascending; at `any` those of every status. */
  private readonly ids = new Map<string, number[]>(["any", ...STATUSES].map((status) => [status, []]));

  constructor(
    private readonly findings: Findings,
    private readonly random: Random,
    /** The beginning of each name: a storage may hold the pets of others, too. */
    private readonly tag: string,
  ) {}

  get stored(): number {
    return this.byId.size;
  }

  plan(): PlannedPet {
    const name = `${this.tag}-${this.planned.size + 1}`;
    const status = this.random.pick(STATUSES);
    // Any int64; a double would change most of them.
    const categoryId =
      (BigInt(this.random.between(-(2 ** 31), 2 ** 31 - 1)) << 32n) +
      BigInt(this.random.between(0, 2 ** 32 - 1));
    const body = `{"name":"${name}","categoryId":${categoryId},"status":"${status}"}`;
    const pet = { name, status, key: `key-${name}`, body, id: undefined };
    this.planned.set(name, pet);
    this.open.add(pet);
    return pet;
  }

  /** Any acknowledged pet, one of the newest in half of the cases. */
  any(): PlannedPet | undefined {
    const ids = this.ids.get("any") as number[];
    const from = this.random.chance(0.5) ? Math.max(0, ids.length - 50) : 0;
    return ids.length === 0
      ? undefined
      : this.byId.get(ids[this.random.between(from, ids.length - 1)] as number);
  }

  /** The ids of acknowledged pets in (after, last], at most `limit`: a page that is asked for from now on must have them. */
  due(status: string | undefined, after: number, limit: number): readonly number[] {
    const ids = this.ids.get(status ?? "any") as number[];
    const from = positionAfter(ids, after);
    return ids.slice(from, from + limit);
  }

  /** Takes note of a pet in an answer, as text. Ignores the pets of others. */
  seen(text: string, where: string): void {
    const [, id = "", name = ""] = /^\{"id":(\d+),"name":"([^"]*)",/.exec(text) ?? [];
    const pet = this.planned.get(name);
    if (!pet) {
      if (name.startsWith(`${this.tag}-`)) this.findings.add("changed", `nobody created ${text} (${where})`);
      return;
    }
    if (text !== `{"id":${id},${pet.body.slice(1)}`) {
      this.findings.add("changed", `${pet.body} became ${text} (${where})`);
    }
    if (pet.id === undefined) {
      pet.id = Number(id);
      const other = this.byId.get(pet.id);
      if (other)
        this.findings.add("doubled", `the id ${id} is that of ${other.name} and of ${name} (${where})`);
      this.byId.set(pet.id, pet);
      for (const status of ["any", pet.status]) insert(this.ids.get(status) as number[], pet.id);
    } else if (pet.id !== Number(id)) {
      this.findings.add("doubled", `${name} has the ids ${pet.id} and ${id} (${where})`);
    }
  }

  missing(id: number, where: string): void {
    this.findings.add("lost", `pet ${id}, ${this.byId.get(id)?.name}, is not there (${where})`);
  }
}

/** The index of the first id that is greater. */
function positionAfter(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

function insert(ids: number[], id: number): void {
  ids.splice(positionAfter(ids, id), 0, id);
}
