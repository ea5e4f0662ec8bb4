import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import type { PetRange } from "../../../../src/application/ports/pet-repository.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get } from "../../../support/client.js";
import { arrival } from "../../../support/eventually.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

/** How long a list takes, in milliseconds. */
const DELAY = 100;

class SlowRepository extends MemoryPetRepository {
  override async list(range: PetRange) {
    await sleep(DELAY);
    return super.list(range);
  }
}

const LIST = head("GET /v1/pets HTTP/1.1");

describe("A client that goes away", () => {
  const printed: unknown[] = [];
  const { error } = console;
  let app: StartedApp;
  let lines: LogLine[];
  beforeEach(async () => {
    // Koa prints errors that it cannot answer, unless `silent` is set.
    console.error = (...parameters: unknown[]) => printed.push(parameters);
    printed.length = 0;
    const captured = captureLog();
    lines = captured.lines;
    app = await startApp({ repository: new SlowRepository(), log: captured.log });
  });
  afterEach(() => {
    console.error = error;
    return app.close();
  });

  const tooLarge = head("POST /v1/pets HTTP/1.1", "Content-Type: application/json", "Content-Length: 900000");
  for (const [when, bytes] of [
    ["in the middle of a head", "GET /v1/pets HTTP/1.1\r\nHo"],
    ["in the middle of a body that is too large", tooLarge + "x".repeat(90_000)],
    ["before its many answers are ready", LIST.repeat(20)],
    ["after a malformed request", "BAD\r\n\r\n"],
  ] as const) {
    for (const how of ["reset", "close"] as const) {
      it(`${when}, with a ${how}, leaves no error in the log and the service running`, async () => {
        const connection = await RawConnection.open(app.port);
        connection.send(bytes);
        await arrival();
        connection[how]();
        await arrival();
        await sleep(DELAY);
        expect((await get(app, "/v1/pets")).status).to.equal(200);
        expect([lines.filter(({ level }) => level >= 40), printed]).to.deep.equal([[], []]);
      });
    }
  }
});
