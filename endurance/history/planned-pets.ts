import { Random } from "../random.js";

/** A create that the run sends, and the pet that must come of it. */
export interface PlannedPet {
  readonly number: number;
  readonly body: string;
  readonly status: string;
  /** The Idempotency-Key; undefined if the create is sent once, without one. */
  readonly key: string | undefined;
  /** The JSON text of the pet once it has an id. */
  textWith(id: string): string;
}

export const STATUSES = ["available", "pending", "sold"] as const;

const INT64 = 2n ** 63n;
const CATEGORIES = [0n, 1n, -7n, INT64 - 1n, -INT64, 2n ** 53n + 1n];
const FLAVOURS = ["", " Żółw 🐢", ' "quoted" \\', " 長い名前", " <b>&amp;", ` ${"x".repeat(200)}`];

/** The pets of a run by number. The seed and the number determine a pet, so that the run need not keep it. */
export class PlannedPets {
  private readonly pattern: RegExp;

  /** @param tag begins the names, so that pets of earlier runs in the same storage are told apart */
  constructor(
    private readonly seed: number,
    private readonly tag: string,
  ) {
    this.pattern = new RegExp(`"name":"${tag}-(\\d+)[ "]`);
  }

  at(number: number): PlannedPet {
    const random = new Random(this.seed, `pet ${number}`);
    const name = JSON.stringify(`${this.tag}-${number}${random.pick(FLAVOURS)}`);
    const category = random.chance(0.5) ? BigInt(number) : random.pick(CATEGORIES);
    const status = random.pick([...STATUSES, undefined]);
    const members = `"name":${name},"categoryId":${category}`;
    const stored = `${members},"status":"${status ?? "available"}"}`;
    return {
      number,
      body: status ? `{${stored}` : `{${members}}`,
      status: status ?? "available",
      key: random.chance(0.5) ? `${this.tag}-${number}` : undefined,
      textWith: (id) => `{"id":${id},${stored}`,
    };
  }

  /** The number of the pet with this JSON text; undefined if it is no pet of this run. */
  numberOf(text: string): number | undefined {
    const number = this.pattern.exec(text)?.[1];
    return number === undefined ? undefined : Number(number);
  }
}
