import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import type { PetRange } from "../../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get, post } from "../../../support/client.js";
import { arrival } from "../../../support/eventually.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

/** A storage in memory that fails with a given error, and can make its callers wait. */
class FailingRepository extends MemoryPetRepository {
  failure: unknown;
  delay = 0;

  override async create(...parameters: Parameters<MemoryPetRepository["create"]>) {
    await this.fail();
    return super.create(...parameters);
  }

  override async get(id: bigint) {
    await this.fail();
    return super.get(id);
  }

  override async list(range: PetRange) {
    await this.fail();
    return super.list(range);
  }

  private async fail(): Promise<void> {
    await sleep(this.delay);
    if (this.failure !== undefined) throw this.failure;
  }
}

const BODY = '{"name":"Rex","categoryId":1}';
const LIST = head("GET /v1/pets HTTP/1.1");

describe("A failure", () => {
  let repository: FailingRepository;
  let app: StartedApp;
  let causes: () => LogLine[];
  beforeEach(async () => {
    repository = new FailingRepository();
    const captured = captureLog();
    causes = captured.causes;
    app = await startApp({ repository, log: captured.log });
  });
  afterEach(() => app.close());

  const everyOperation = () =>
    Promise.all([
      get(app, "/v1/pets"),
      get(app, "/v1/pets/1"),
      post(app, BODY, { headers: { "Idempotency-Key": "key-1" } }),
    ]);

  const withStatus = Object.assign(new Error(CANARY), { status: 418, expose: true, code: "E" });
  for (const [what, failure] of [
    ["an Error", new Error(CANARY)],
    ["an Error with a status of its own", withStatus],
    ["a string", CANARY],
    ["null", null],
  ] as const) {
    it(`that nobody expected, ${what}, is an opaque 500 internal_error, and its cause is in the log`, async () => {
      repository.failure = failure;
      const answers = await everyOperation();
      for (const answer of answers) expectError(answer, 500, "internal_error");
      const ids = answers.map(({ headers }) => headers["x-request-id"]);
      expect(causes().map(({ requestId }) => requestId)).to.have.members(ids);
      for (const line of causes()) expect(line).to.include({ level: 50, code: "internal_error" });
      if (failure !== null) expect(JSON.stringify(causes()[0])).to.contain(CANARY);
    });
  }

  it("of the storage is 503 storage_unavailable, and only the log has its cause, once", async () => {
    repository.failure = storageUnavailable(new Error(CANARY));
    for (const answer of await everyOperation()) expectError(answer, 503, "storage_unavailable");
    for (const { err } of causes()) expect(err).to.include({ message: CANARY });
    expect(causes().length).to.be.within(1, 2);
  });

  it("is no 4xx: the log has nothing of those", async () => {
    expectError(await get(app, "/v1/pets/9"), 404, "pet_not_found");
    expectError(await get(app, "/v1/pets", { key: null }), 401, "missing_credentials");
    expectError(await post(app, "x".repeat(20_000)), 413, "body_too_large");
    expect(causes()).to.deep.equal([]);
  });
});

describe("A client that goes away", () => {
  const printed: unknown[] = [];
  const { error } = console;
  let repository: FailingRepository;
  let app: StartedApp;
  let lines: LogLine[];
  beforeEach(async () => {
    // Koa prints errors that it cannot answer, unless `silent` is set.
    console.error = (...parameters: unknown[]) => printed.push(parameters);
    printed.length = 0;
    const captured = captureLog();
    lines = captured.lines;
    repository = new FailingRepository();
    app = await startApp({ repository, log: captured.log });
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
        repository.delay = 100;
        const connection = await RawConnection.open(app.port);
        connection.send(bytes);
        await arrival();
        connection[how]();
        await arrival();
        await sleep(repository.delay);
        expect((await get(app, "/v1/pets")).status).to.equal(200);
        expect([lines.filter(({ level }) => level >= 40), printed]).to.deep.equal([[], []]);
      });
    }
  }
});
