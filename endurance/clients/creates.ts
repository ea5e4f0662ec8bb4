import type { Answer, Exchange } from "../history/exchange.js";
import { describeExchange } from "../history/exchange.js";
import type { History } from "../history/history.js";
import type { PlannedPet } from "../history/planned-pets.js";
import type { Random } from "../random.js";
import type { HttpClient } from "./http-client.js";
import type { Judge } from "./judge.js";

/** How many creates with a key to remember, so that they can be repeated. */
const REPEATABLE = 2000;

/** Creates pets, and repeats creates with their keys. */
export class Creates {
  /** The creates with a key whose outcome is not known. */
  readonly open = new Set<PlannedPet>();
  private readonly repeatable: PlannedPet[] = [];

  constructor(
    private readonly client: HttpClient,
    private readonly judge: Judge,
    private readonly history: History,
    /** The API key of all creates: the idempotency records belong to it. */
    private readonly apiKey: string,
    private readonly random: Random,
  ) {}

  /** Creates a new pet. Sends some creates with a key twice at once, as an impatient client does. */
  async create(): Promise<void> {
    const pet = this.history.plan();
    const twice = pet.key !== undefined && this.random.chance(0.1);
    if (pet.key !== undefined) this.open.add(pet);
    await Promise.all(twice ? [this.send(pet), this.send(pet)] : [this.send(pet)]);
  }

  /** Repeats a create: one whose outcome is not known, if there is one; otherwise an acknowledged one. */
  async repeat(): Promise<void> {
    const [pet = this.random.pick(this.repeatable)] = this.open;
    if (pet) await this.send(pet);
  }

  /** Sends the key of an acknowledged create with another body. */
  async reuse(): Promise<void> {
    const pet = this.random.pick(this.repeatable);
    if (!pet) return;
    const exchange = await this.post(pet, `{"name":"another than ${pet.number}","categoryId":1}`);
    const answer = this.judge.judge(exchange, [400]);
    if (answer && !answer.text.includes('"idempotency_key_reused"')) {
      this.judge.findings.add("key", `a key with another body: ${answer.text}`, describeExchange(exchange));
    }
  }

  /** Up to `count` acknowledged creates with a key. */
  sample(count: number): PlannedPet[] {
    return this.repeatable.slice(-count);
  }

  async send(pet: PlannedPet): Promise<boolean> {
    const known = this.history.idOf(pet);
    const exchange = await this.post(pet, pet.body);
    const answer = this.judge.judge(exchange, [201]);
    if (!answer) return false;
    this.history.acknowledge(pet, answer.text, exchange);
    this.checkHeaders(pet, answer, exchange, known);
    this.open.delete(pet);
    if (pet.key !== undefined && known === undefined) this.remember(pet);
    return true;
  }

  private post({ key }: PlannedPet, body: string): Promise<Exchange> {
    const headers = { "Content-Type": "application/json", ...(key && { "Idempotency-Key": key }) };
    return this.client.send({ method: "POST", path: "/v1/pets", headers, body }, this.apiKey);
  }

  private checkHeaders(
    pet: PlannedPet,
    { headers }: Answer,
    exchange: Exchange,
    known: number | undefined,
  ): void {
    const id = this.history.idOf(pet);
    const replayed = headers["idempotency-replayed"] === "true";
    if (headers.location !== `/v1/pets/${id}`) {
      this.judge.findings.add("expected", `Location is ${headers.location}`, describeExchange(exchange));
    }
    if (known !== undefined && !replayed) {
      this.judge.findings.add(
        "key",
        `create ${pet.number} was acknowledged before, and this answer is no replay`,
        describeExchange(exchange),
      );
    }
  }

  private remember(pet: PlannedPet): void {
    if (this.repeatable.length < REPEATABLE) this.repeatable.push(pet);
    else this.repeatable[this.random.between(0, REPEATABLE - 1)] = pet;
  }
}
