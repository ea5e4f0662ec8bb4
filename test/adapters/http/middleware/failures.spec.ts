import { expect } from "chai";
import { around } from "../../../../src/adapters/guard/around.js";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { PET_OPERATIONS, type PetRepository } from "../../../../src/application/ports/pet-repository.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { type BuiltApp, buildApp } from "../../../support/start-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

describe("A failure", () => {
  let failure: unknown;
  let app: BuiltApp;
  let causes: () => LogLine[];
  beforeEach(async () => {
    failure = undefined;
    const repository = around<PetRepository>(new MemoryPetRepository(), PET_OPERATIONS, async (operate) => {
      if (failure !== undefined) throw failure;
      return operate();
    });
    const captured = captureLog();
    causes = captured.causes;
    app = await buildApp({ repository, log: captured.log });
  });
  afterEach(() => app.close());

  const headers = { "Idempotency-Key": "key-1" };
  const everyOperation = () =>
    Promise.all([get(app, "/v1/pets"), get(app, "/v1/pets/1"), post(app, BODY, { headers })]);

  const withStatus = Object.assign(new Error(CANARY), { status: 418, expose: true, code: "E" });
  for (const [what, thrown] of [
    ["an Error", new Error(CANARY)],
    ["an Error with a status of its own", withStatus],
    ["a string", CANARY],
    ["null", null],
  ] as const) {
    it(`that nobody expected, ${what}, is an opaque 500 internal_error, and its cause is in the log`, async () => {
      failure = thrown;
      const answers = await everyOperation();
      for (const answer of answers) expectError(answer, 500, "internal_error");
      const ids = answers.map(({ headers }) => headers["x-request-id"]);
      expect(causes().map(({ requestId }) => requestId)).to.have.members(ids);
      for (const line of causes()) expect(line).to.include({ level: 50, code: "internal_error" });
      if (failure !== null) expect(JSON.stringify(causes()[0])).to.contain(CANARY);
    });
  }

  it("of the storage is 503 storage_unavailable, and only the log has its cause, once", async () => {
    failure = storageUnavailable(new Error(CANARY));
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
