import { expect } from "chai";
import { pino } from "pino";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
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

  override async list(range: Parameters<MemoryPetRepository["list"]>[0]) {
    await this.fail();
    return super.list(range);
  }

  private async fail(): Promise<void> {
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay));
    if (this.failure !== undefined) throw this.failure;
  }
}

const SECRET = "secret of the storage";
const BODY = '{"name":"Rex","categoryId":1}';

describe("A failure", () => {
  let repository: FailingRepository;
  let app: StartedApp;
  let lines: string[];
  beforeEach(async () => {
    repository = new FailingRepository();
    lines = [];
    const log = pino({ level: "info" }, { write: (line) => lines.push(line) });
    app = await startApp({ repository, log });
  });
  afterEach(() => app.close());

  const logged = () => lines.map((line) => JSON.parse(line));
  const everyOperation = () =>
    Promise.all([
      get(app, "/v1/pets"),
      get(app, "/v1/pets?status=sold&limit=3"),
      get(app, "/v1/pets/1"),
      post(app, BODY),
      post(app, BODY, { headers: { "Idempotency-Key": "key-1" } }),
    ]);

  for (const [what, failure] of [
    ["an Error", new Error(SECRET)],
    ["a TypeError", new TypeError(SECRET)],
    [
      "an Error with a status of its own",
      Object.assign(new Error(SECRET), { status: 418, expose: true, code: "E" }),
    ],
    ["a string", SECRET],
    ["null", null],
  ] as const) {
    it(`that nobody expected, ${what}, is an opaque 500 internal_error, and its cause is in the log`, async () => {
      repository.failure = failure;
      const answers = await everyOperation();
      for (const answer of answers) {
        expectError(answer, 500, "internal_error");
        expect(JSON.stringify([answer.text, answer.headers])).not.to.contain(SECRET);
      }
      expect(logged()).to.have.length(answers.length);
      for (const line of logged()) expect(line).to.include({ level: 50, code: "internal_error" });
      if (failure !== null) expect(lines[0]).to.contain(SECRET);
    });
  }

  it("of the storage is 503 storage_unavailable with Retry-After, and only the log has its cause, once", async () => {
    repository.failure = storageUnavailable(new Error(SECRET));
    const answers = await everyOperation();
    for (const answer of answers) {
      expectError(answer, 503, "storage_unavailable");
      expect(JSON.stringify([answer.text, answer.headers])).not.to.contain(SECRET);
    }
    for (const line of logged()) expect(line.err.message).to.equal(SECRET);
    expect(logged().length).to.be.within(1, 2);
    expect((await send(app, "HEAD", "/v1/pets")).headers["retry-after"]).to.match(/^[1-9]\d*$/);
  });

  it("passes: the next request on the connection is served", async () => {
    const connection = await RawConnection.open(app.port);
    repository.failure = new Error(SECRET);
    connection.send(head("GET /v1/pets HTTP/1.1"));
    expectError(await connection.answer(), 500, "internal_error");
    repository.failure = undefined;
    connection.send(head("GET /v1/pets HTTP/1.1"));
    expect((await connection.answer()).text).to.equal("[]");
    connection.close();
  });

  it("leaves an idempotency key free", async () => {
    const headers = { "Idempotency-Key": "key-1" };
    repository.failure = storageUnavailable(new Error(SECRET));
    expectError(await post(app, BODY, { headers }), 503, "storage_unavailable");
    repository.failure = undefined;
    expect((await post(app, BODY, { headers })).headers).not.to.have.property("idempotency-replayed");
  });

  it("is no 4xx: the log has nothing of those", async () => {
    await Promise.all([
      get(app, "/v1/pets?limit=0"),
      get(app, "/v1/pets/9"),
      get(app, "/v1/pets", { key: null }),
      get(app, "/v1/nowhere"),
      post(app, "{"),
      post(app, "x".repeat(20_000)),
    ]);
    expect(lines).to.deep.equal([]);
  });
});

describe("A client that goes away", () => {
  const printed: unknown[] = [];
  const { error } = console;
  let repository: FailingRepository;
  let app: StartedApp;
  let lines: string[];
  beforeEach(async () => {
    // Koa prints errors that it cannot answer, unless `silent` is set.
    console.error = (...parameters: unknown[]) => printed.push(parameters);
    printed.length = 0;
    lines = [];
    repository = new FailingRepository();
    app = await startApp({ repository, log: pino({ level: "warn" }, { write: (line) => lines.push(line) }) });
  });
  afterEach(() => {
    console.error = error;
    return app.close();
  });

  const CREATE = head(
    "POST /v1/pets HTTP/1.1",
    "Content-Type: application/json",
    `Content-Length: ${BODY.length}`,
  );
  for (const [when, bytes, delay] of [
    ["before it has sent anything", "", 0],
    ["in the middle of a head", "GET /v1/pets HTTP/1.1\r\nHo", 0],
    [
      "in the middle of a body that is too large",
      CREATE.replace(/Length: \d+/, "Length: 900000") + "x".repeat(90_000),
      0,
    ],
    ["before its answer is ready", head("GET /v1/pets HTTP/1.1"), 60],
    ["before its create is done", CREATE + BODY, 60],
    ["before its many answers are ready", head("GET /v1/pets HTTP/1.1").repeat(20), 60],
    ["after a malformed request", "BAD\r\n\r\n", 0],
  ] as const) {
    for (const how of ["reset", "close"] as const) {
      it(`${when}, with a ${how}, leaves no error in the log and the service running`, async () => {
        repository.delay = delay;
        const connection = await RawConnection.open(app.port);
        connection.send(bytes);
        await new Promise((resolve) => setTimeout(resolve, 20));
        connection[how]();
        await new Promise((resolve) => setTimeout(resolve, 80));
        repository.delay = 0;
        expect((await get(app, "/v1/pets")).status).to.equal(200);
        expect([lines, printed]).to.deep.equal([[], []]);
      });
    }
  }
});
