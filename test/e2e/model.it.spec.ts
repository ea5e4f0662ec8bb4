import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { around } from "../../src/adapters/guard/around.js";
import sqlite from "../../src/adapters/sqlite/storage.js";
import { PET_OPERATIONS } from "../../src/application/ports/pet-repository.js";
import { SILENT_CONTEXT, type Storage } from "../../src/application/ports/storage.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { PET_STATUSES } from "../../src/domain/pet.js";
import { type Answer, get, post } from "../support/client.js";
import { type StartedApp, startApp } from "../support/start-app.js";
import { makeFolder } from "../support/temporary-folder.js";

// Random commands, sent to the service on a SQLite file and to a model of it. After each command both must agree. If they
// do not, fast-check prints the shortest list of commands that shows it.

/** How long to look for a disagreement, in milliseconds. */
const TIME = 10_000;

interface ModelPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
  /** Undefined if the service has refused the create; nobody knows then whether it is stored. */
  id: number | undefined;
  readonly key: string | undefined;
}

/** What the catalogue must hold. */
class Model {
  readonly pets: ModelPet[] = [];

  get stored(): ModelPet[] {
    return this.pets.filter(({ id }) => id !== undefined).sort((a, b) => (a.id as number) - (b.id as number));
  }
}

const bodyOf = ({ name, categoryId, status }: ModelPet) =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
const textOf = (pet: ModelPet) => `{"id":${pet.id},${bodyOf(pet).slice(1)}`;

/** How the storage fails: never, at the next create before or after it stores the pet, or at everything. */
type Failure = "none" | "before the next create" | "after the next create" | "everything";

/** The service, which commands restart, and whose storage they take away or let lose the answer to a create. */
class Service {
  failure: Failure = "none";
  private app: StartedApp | undefined;

  constructor(private readonly file: string) {}

  async start(): Promise<void> {
    const storage = await sqlite.open(`sqlite:${this.file}`, SILENT_CONTEXT);
    this.app = await startApp({ storage: this.failing(storage) });
  }

  private failing({ pets, ping, close }: Storage): Storage {
    const orFail = async <Result>(operate: () => Promise<Result>): Promise<Result> => {
      if (this.failure === "everything") throw storageUnavailable(new Error("away"));
      return operate();
    };
    return {
      ping: () => orFail(ping),
      close,
      pets: {
        ...around(pets, PET_OPERATIONS, orFail),
        create: (...args) =>
          orFail(async () => {
            const { failure } = this;
            if (failure === "none") return pets.create(...args);
            this.failure = "none";
            if (failure === "after the next create") await pets.create(...args);
            throw storageUnavailable(new Error(failure));
          }),
      },
    };
  }

  async stop(): Promise<void> {
    await this.app?.close();
  }

  get(path: string): Promise<Answer> {
    return get(this.app as StartedApp, path);
  }

  async create(body: string, key: string | undefined): Promise<Answer> {
    const { failure } = this;
    const headers = key ? { "Idempotency-Key": key } : {};
    const send = () => post(this.app as StartedApp, body, { headers });
    let answer = await send();
    // The guard asks for creates by a question of their own, so they may come back a moment later than reads.
    while (failure === "none" && answer.status === 503) answer = await send();
    return answer;
  }

  /** Waits until the service has found out that its storage is back. */
  async untilBack(): Promise<void> {
    while ((await this.get("/v1/pets?limit=1")).status === 503) await new Promise(setImmediate);
  }
}

type Command = fc.AsyncCommand<Model, Service>;

function command(text: string, run: (model: Model, service: Service) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

/** What a create must lead to; settles what nobody knew about the pet. */
async function sendCreate(pet: ModelPet, model: Model, service: Service): Promise<void> {
  const { failure } = service;
  const { status, headers, text } = await service.create(bodyOf(pet), pet.key);
  if (failure !== "none") {
    expect(status).to.equal(503);
    return service.failure === "none" ? service.untilBack() : undefined;
  }
  expect(status, text).to.equal(201);
  const { id } = JSON.parse(text);
  if (pet.id !== undefined) expect(headers["idempotency-replayed"]).to.equal("true");
  else expect(model.stored.map((other) => other.id)).not.to.include(id);
  pet.id ??= id;
  expect(text).to.equal(textOf(pet));
}

const create = (suffix: string, categoryId: bigint, status: string, hasKey: boolean): Command =>
  command(`create(${[JSON.stringify(suffix), categoryId, status, hasKey]})`, async (model, service) => {
    const number = model.pets.length;
    // A create whose answer is lost can only be settled by its key.
    const key = hasKey || service.failure !== "none" ? `key-${number}` : undefined;
    const pet: ModelPet = { name: `${number}:${suffix}`, categoryId, status, id: undefined, key };
    model.pets.push(pet);
    await sendCreate(pet, model, service);
  });

const repeat = (n: number): Command =>
  command(`repeat(${n})`, async (model, service) => {
    const keyed = model.pets.filter(({ key }) => key);
    const pet = keyed[n % keyed.length];
    if (pet) await sendCreate(pet, model, service);
  });

const getPet = (n: number): Command =>
  command(`getPet(${n})`, async (model, service) => {
    const pet = model.stored[n % model.stored.length];
    const { status, text } = await service.get(`/v1/pets/${pet?.id ?? 1_000_000}`);
    if (service.failure === "everything") expect(status).to.equal(503);
    else if (pet) expect(text).to.equal(textOf(pet));
    else expect(status).to.equal(404);
  });

/** Reads the whole catalogue page by page. Pets whose create got no answer may be there; then they stay. */
const walk = (filter: string | undefined, limit: number): Command =>
  command(`walk(${filter}, ${limit})`, async (model, service) => {
    let path: string | undefined = `/v1/pets?limit=${limit}${filter ? `&status=${filter}` : ""}`;
    const seen: ModelPet[] = [];
    while (path) {
      const { status, headers, text } = await service.get(path);
      if (service.failure === "everything") return void expect(status).to.equal(503);
      const page = (JSON.parse(text) as { id: number; name: string }[]).map(({ id, name }) => {
        const pet = model.pets.find((other) => other.name === name) as ModelPet;
        pet.id ??= id;
        return pet;
      });
      expect(text).to.equal(`[${page.map(textOf).join()}]`);
      seen.push(...page);
      const [, next] = /<([^>]+)>; rel="next"/.exec(headers.link ?? "") ?? [];
      expect(next, "the next page").not.to.equal(path);
      path = next;
      expect(page.length).to.satisfy((length: number) => (path ? length === limit : length <= limit));
    }
    const due = model.stored.filter(({ status }) => !filter || status === filter);
    expect(seen.map(({ id }) => id)).to.deep.equal(due.map(({ id }) => id));
  });

const restart = command("restart", async (_model, service) => {
  await service.stop();
  service.failure = "none";
  await service.start();
});

const fail = (failure: Failure): Command =>
  command(`fail(${failure})`, async (_model, service) => {
    const wasAway = service.failure === "everything";
    service.failure = failure;
    if (wasAway && failure !== "everything") await service.untilBack();
  });

const n = fc.nat(1000);
const status = fc.constantFrom(...PET_STATUSES);
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const creates = fc
  .tuple(fc.string({ unit: "grapheme", maxLength: 8 }), int64, status, fc.boolean())
  .map((args) => create(...args));
const walks = fc
  .tuple(fc.option(status, { nil: undefined }), fc.integer({ min: 1, max: 5 }))
  .map((args) => walk(...args));
const FAILURES = ["none", "none", "before the next create", "after the next create", "everything"] as const;
const others = [n.map(getPet), walks, fc.constant(restart), fc.constantFrom(...FAILURES).map(fail)];
const COMMANDS = [creates, creates, creates, n.map(repeat), n.map(repeat), ...others];

describe("The service beside a model of it", () => {
  it("agrees with the model after any creates, repeats, reads, restarts and outages", async () => {
    const end = performance.now() + TIME;
    const property = fc.asyncProperty(
      fc.commands(COMMANDS, { maxCommands: 40, size: "max" }),
      async (commands) => {
        if (performance.now() > end) return;
        const folder = makeFolder();
        const service = new Service(join(folder, "pets.db"));
        await service.start();
        try {
          const model = new Model();
          await fc.asyncModelRun(() => ({ model, real: service }), commands);
          await fail("none").run(model, service);
          await walk(undefined, 5).run(model, service);
        } finally {
          await service.stop();
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});
