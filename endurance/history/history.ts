import { timeOf } from "../clock.js";
import { AcknowledgedIds } from "./acknowledged.js";
import { describeExchange, type Exchange } from "./exchange.js";
import type { Findings } from "./findings.js";
import { type PlannedPet, type PlannedPets, STATUSES } from "./planned-pets.js";

/** The known outcome of a create: none yet, a refusal for good, or the id of its pet. */
type Fate =
  | { readonly id: number; readonly since: number; readonly by: "create" | "read" }
  | "refused"
  | undefined;

/** Everything that the service has acknowledged, and what follows from it for later answers. */
export class History {
  private readonly fates: Fate[] = [];
  private readonly numbers = new Map<number, number>();
  private readonly all = new AcknowledgedIds();
  private readonly byStatus = new Map(STATUSES.map((status) => [status as string, new AcknowledgedIds()]));

  constructor(
    readonly pets: PlannedPets,
    private readonly findings: Findings,
  ) {}

  /** The next create to send. */
  plan(): PlannedPet {
    this.fates.push(undefined);
    return this.pets.at(this.fates.length - 1);
  }

  get planned(): number {
    return this.fates.length;
  }

  /** How many pets are known to be stored; a read that begins now must show all of them. */
  get turn(): number {
    return this.all.size;
  }

  idOf({ number }: PlannedPet): number | undefined {
    const fate = this.fates[number];
    return typeof fate === "object" ? fate.id : undefined;
  }

  /** A pet that is stored, by its place in the order of ids. */
  storedAt(index: number): { readonly id: number; readonly pet: PlannedPet } | undefined {
    const id = this.all.at(index);
    return id === undefined ? undefined : { id, pet: this.pets.at(this.numbers.get(id) as number) };
  }

  /** The ids that a page must have: above `after`, up to `last`, known before `turn`. */
  due(status: string | undefined, after: number, last: number, turn: number, limit: number): number[] {
    const ids = status === undefined ? this.all : this.byStatus.get(status);
    return ids?.between(after, last, turn, limit) ?? [];
  }

  /** The service has answered 201. */
  acknowledge(pet: PlannedPet, text: string, exchange: Exchange): void {
    const [, id = ""] = /^\{"id":(\d+),/.exec(text) ?? [];
    if (text !== pet.textWith(id)) {
      this.findings.add("exact", `a create of ${pet.body} answers ${text}`, describeExchange(exchange));
    } else this.store(pet, Number(id), exchange, "create");
  }

  /** The service has refused a create for good, or cannot have received all of it. */
  refuse({ number }: PlannedPet, exchange?: Exchange): void {
    if (this.fates[number] === undefined) this.fates[number] = "refused";
    else if (exchange) {
      this.findings.add(
        "key",
        `create ${number} is refused, though it was acknowledged before`,
        describeExchange(exchange),
      );
    }
  }

  /** A read has shown the JSON text of a pet. Pets of other runs do not count. */
  seen(text: string, exchange: Exchange): void {
    const number = this.pets.numberOf(text);
    if (number === undefined) return;
    const pet = this.pets.at(number);
    const [, id = ""] = /^\{"id":(\d+),/.exec(text) ?? [];
    if (text !== pet.textWith(id)) {
      this.findings.add("exact", `a read shows ${text} for ${pet.body}`, describeExchange(exchange));
    } else if (this.fates[number] === "refused" || number >= this.fates.length) {
      this.findings.add("refused", `a read shows ${text}`, describeExchange(exchange));
    } else this.store(pet, Number(id), exchange, "read");
  }

  /** A read that began at `turn` does not show an id. */
  missing(id: number, exchange: Exchange): void {
    const number = this.numbers.get(id) as number;
    const { since, by } = this.fates[number] as Exclude<Fate, "refused" | undefined>;
    const pet = this.pets.at(number).textWith(`${id}`);
    this.findings.add(
      by === "create" ? "stale" : "shown",
      `${exchange.method} ${exchange.path} does not show ${pet}, which a ${by} has shown at ${timeOf(since)}`,
      describeExchange(exchange),
    );
  }

  private store(pet: PlannedPet, id: number, exchange: Exchange, by: "create" | "read"): void {
    const earlier = this.fates[pet.number];
    if (typeof earlier === "object") {
      if (earlier.id !== id) {
        this.findings.add(
          pet.key ? "key" : "twice",
          `${pet.body} has id ${earlier.id} since ${timeOf(earlier.since)}, and now also id ${id}`,
          describeExchange(exchange),
        );
      }
      return;
    }
    const other = this.numbers.get(id);
    if (other !== undefined) {
      const { body } = this.pets.at(other);
      this.findings.add(
        "twice",
        `id ${id} belongs to ${body}, and also to ${pet.body}`,
        describeExchange(exchange),
      );
      return;
    }
    const turn = this.turn;
    this.fates[pet.number] = { id, since: exchange.begun + exchange.took, by };
    this.numbers.set(id, pet.number);
    this.all.add(id, turn);
    this.byStatus.get(pet.status)?.add(id, turn);
  }
}
