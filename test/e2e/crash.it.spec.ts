import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { allPets, post } from "../support/client.js";
import { until } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { inEmptyFolder } from "../support/in-empty-folder.js";
import { startProgram } from "../support/start-program.js";

interface Acknowledged {
  /** The JSON text of the pet. */
  readonly pet: string;
  readonly body: string;
  readonly key: string | undefined;
}

/** Clients that create pets until the end, every other one under keys, and repeat those until they are acknowledged. */
function createPets(service: { origin: string }) {
  const acknowledged: Acknowledged[] = [];
  let isRunning = true;
  let bodies = 0;
  const create = (body: string, key: string | undefined) =>
    post(service, body, key ? { headers: { "Idempotency-Key": key } } : {});
  const clients = Array.from({ length: 6 }, async (_, client) => {
    while (isRunning) {
      const number = ++bodies;
      const body = `{"name":"Żółw ${number} 🐢","categoryId":${2n ** 62n + BigInt(number)},"status":"sold"}`;
      const key = client % 2 ? `key-${number}` : undefined;
      for (let isSent = false; !isSent; await sleep(5)) {
        // While the program is down there is no response.
        const answer = await create(body, key).catch(() => undefined);
        if (answer) expect(answer.status, answer.text).to.equal(201);
        if (answer) acknowledged.push({ pet: answer.text, body, key });
        isSent = answer !== undefined || !key;
      }
    }
  });
  const end = () => {
    isRunning = false;
    return Promise.all(clients);
  };
  return { acknowledged, create, end };
}

describe("The program, on a SQLite file", () => {
  const cwd = inEmptyFolder();

  it("keeps every acknowledged pet, exactly and once, over kills in the middle of creates", async () => {
    const env = { PETSTORE_PORT: String(await freePort()) };
    let program = await startProgram({ cwd: cwd(), env });
    const load = createPets({ origin: program.origin });
    for (let round = 0; round < 2; round++) {
      const before = load.acknowledged.length;
      await until(() => load.acknowledged.length > before + 30 + 10 * round);
      await program.stop("SIGKILL");
      program = await startProgram({ cwd: cwd(), env });
    }
    await load.end();
    for (const { pet, body } of load.acknowledged) expect(pet.replace(/"id":\d+,/, "")).to.equal(body);
    const stored = await allPets(program);
    expect(stored).to.include.members(load.acknowledged.map(({ pet }) => pet));
    expect(new Set(stored.map((pet) => JSON.parse(pet).name)).size).to.equal(stored.length);
    const repeats = load.acknowledged.map(async ({ pet, body, key }) => {
      if (!key) return;
      const { status, text, headers } = await load.create(body, key);
      expect([status, text, headers["idempotency-replayed"]]).to.deep.equal([201, pet, "true"]);
    });
    await Promise.all(repeats);
  });
});
