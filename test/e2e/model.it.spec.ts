import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import sqlite from "../../src/adapters/sqlite/sqlite-adapter.js";
import { SILENT_CONTEXT, type Storage } from "../../src/application/storage-adapter.js";
import { storageUnavailable } from "../../src/domain/errors.js";
import { PET_STATUSES, type PetStatus } from "../../src/domain/pet.js";
import { get, post } from "../support/client.js";
import { makeFolder } from "../support/in-empty-folder.js";
import { buildApp } from "../support/start-app.js";

/** What a test does; a number chooses one of the pets, or the length of a page. */
type Step =
  | readonly ["create", suffix: string, categoryId: bigint, status: PetStatus]
  | readonly ["repeat" | "get" | "walk", n: number]
  | readonly ["restart" | "lose the next answer"];

interface ModelPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
  readonly key: string;
  /** Undefined as long as the answer to its create was lost. */
  id?: number;
}

const bodyOf = ({ name, categoryId, status }: ModelPet) =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
const textOf = (pet: ModelPet) => `{"id":${pet.id},${bodyOf(pet).slice(1)}`;

/** Takes the steps with the service on a SQLite file and with a model of it, and asserts that the two agree. */
async function take(steps: readonly Step[]): Promise<void> {
  const url = `sqlite:${join(makeFolder(), "pets.db")}`;
  const model: ModelPet[] = [];
  let losesAnswer = false;

  async function start() {
    const { pets, ...storage } = await sqlite.open(url, SILENT_CONTEXT);
    const create: Storage["pets"]["create"] = async (...values) => {
      const creation = await pets.create(...values);
      if (!losesAnswer) return creation;
      losesAnswer = false;
      throw storageUnavailable(new Error("the answer was lost"));
    };
    const losing = { create, get: pets.get.bind(pets), list: pets.list.bind(pets) };
    return buildApp({ storage: { ...storage, pets: losing } });
  }
  let service = await start();

  async function create(pet: ModelPet): Promise<void> {
    const isLost = losesAnswer;
    const answer = await post(service, bodyOf(pet), { headers: { "Idempotency-Key": pet.key } });
    expect(answer.status, answer.text).to.equal(isLost ? 503 : 201);
    if (isLost) return;
    if (pet.id !== undefined) expect(answer.headers["idempotency-replayed"]).to.equal("true");
    pet.id ??= JSON.parse(answer.text).id;
    expect(answer.text).to.equal(textOf(pet));
  }

  async function walk(limit: number): Promise<void> {
    const seen: ModelPet[] = [];
    let path: string | undefined = `/v1/pets?limit=${limit}`;
    while (path) {
      const { headers, text } = await get(service, path);
      const page = JSON.parse(text).map(({ id, name }: ModelPet) => {
        const pet = model.find((other) => other.name === name) as ModelPet;
        pet.id ??= id as number;
        return pet;
      });
      expect(text).to.equal(`[${page.map(textOf)}]`);
      seen.push(...page);
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? "")?.[1];
    }
    // A pet whose answer was lost was stored all the same.
    expect(seen).to.deep.equal(model.toSorted((a, b) => Number(a.id) - Number(b.id)));
  }

  try {
    for (const step of [...steps, ["walk", 4] as const]) {
      const chosen = typeof step[1] === "number" ? model[step[1] % model.length] : undefined;
      if (step[0] === "create") {
        const [, suffix, categoryId, status] = step;
        const pet = { name: `${model.length}:${suffix}`, categoryId, status, key: `key-${model.length}` };
        model.push(pet);
        await create(pet);
      } else if (step[0] === "walk") await walk(1 + (step[1] % 5));
      else if (step[0] === "lose the next answer") losesAnswer = true;
      else if (step[0] === "restart") {
        await service.close();
        service = await start();
      } else if (step[0] === "repeat" && chosen) await create(chosen);
      else {
        const { status, text } = await get(service, `/v1/pets/${chosen?.id ?? 1_000_000}`);
        if (chosen?.id) expect(text).to.equal(textOf(chosen));
        else expect(status).to.equal(404);
      }
    }
  } finally {
    await service.close();
  }
}

describe("The service beside a model of it", () => {
  it("agrees after any creates, repeats, reads, restarts and lost answers (property)", async () => {
    const status = fc.constantFrom(...PET_STATUSES);
    const suffix = fc.string({ unit: "grapheme", maxLength: 8 });
    const categoryId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const numbered = fc.constantFrom("repeat" as const, "get" as const, "walk" as const);
    // A start costs more than all else.
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constant("create" as const), suffix, categoryId, status) },
      { weight: 6, arbitrary: fc.tuple(numbered, fc.nat(1000)) },
      { weight: 2, arbitrary: fc.constantFrom(["lose the next answer"] as const, ["restart"] as const) },
    );
    const steps = fc.array(step, { maxLength: 40, size: "max" });
    await fc.assert(fc.asyncProperty(steps, take), { numRuns: 10 });
  });
});
