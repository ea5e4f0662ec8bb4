import { Readable } from "node:stream";
import { expect } from "chai";
import type { Context, Next } from "koa";
import type { Logger } from "pino";
import type { Handler } from "../../../src/adapters/http/context.js";
import type { FinishedRequest } from "../../../src/adapters/http/events.js";
import { MemoryPetRepository } from "../../../src/adapters/memory/memory-pet-repository.js";
import { captureLog, type LogLine } from "../../support/captured-log.js";
import { get, send } from "../../support/client.js";
import { CANARY, expectError, FIXED_HEADERS } from "../../support/expect-error.js";
import { type AppOptions, type BuiltApp, buildApp } from "../../support/start-app.js";

function fail(): never {
  throw new Error(CANARY);
}

const OUTERMOST = 0;
/** Behind those that identify, observe and answer errors. */
const INNER = 3;

describe("A middleware in Koa's manners", () => {
  let app: BuiltApp;
  let finished: FinishedRequest[];
  let causes: () => readonly LogLine[];
  afterEach(() => app.close());

  /** Builds the service with one more middleware, at `place` in the list of `app.ts`. */
  async function start(place: number, [middleware]: readonly unknown[], options: AppOptions = {}) {
    const captured = captureLog();
    causes = captured.causes;
    app = await buildApp({ log: captured.log, ...options });
    if (middleware) app.app.middleware.splice(place, 0, middleware as Handler);
    finished = [];
    app.app.on("requestFinished", (one) => finished.push(one));
  }

  for (const [what, body, text, type] of [
    ["a text", '{"hello":1}', '{"hello":1}', "text/plain; charset=utf-8"],
    ["bytes", Buffer.from("Zoë"), "Zoë", "application/octet-stream"],
    ["a value", { hello: 1 }, '{"hello":1}', "application/json; charset=utf-8"],
    ["a stream", "stream", "MIT License", "application/octet-stream"],
    ["nothing", undefined, "", undefined],
  ] as const) {
    it(`answers ${what}`, async () => {
      await start(INNER, [
        (ctx: Context) => {
          ctx.status = 202;
          if (body) ctx.body = body === "stream" ? Readable.from(["MIT ", "License"]) : body;
        },
      ]);
      const answer = await get(app, "/added");
      expect(answer.status).to.equal(202);
      expect(answer.headers["content-type"]).to.equal(type);
      expect(answer.headers).to.include(FIXED_HEADERS);
      expect(answer.text).to.equal(text);
      expect(finished.map(({ status, code }) => [status, code])).to.deep.equal([[202, undefined]]);
      const headed = await send(app, "HEAD", "/added");
      expect([headed.status, headed.text]).to.deep.equal([202, ""]);
    });
  }

  it("may answer by ctx.res, with ctx.respond false", async () => {
    const own = '{"code":"malformed_request","message":"Own.","status":400}';
    await start(INNER, [
      (ctx: Context) => {
        ctx.respond = false;
        ctx.status = 400;
        ctx.res.setHeader("Content-Type", "application/json");
        setImmediate(() => ctx.res.end(own));
      },
    ]);
    const { status, text } = await get(app, "/added");
    expect([status, text]).to.deep.equal([400, own]);
    expect(finished.map(({ code }) => code)).to.deep.equal([undefined]);
  });

  const thrown = (members: object) => () => Promise.reject(Object.assign(new Error("Too big."), members));
  const exposed = (members: object) => thrown({ ...members, expose: true });
  const set = (status: number) => (ctx: Context) => Object.assign(ctx, { status });
  for (const [what, middleware, status, code, message, isLogged] of [
    ["an exposed 413", exposed({ status: 413 }), 413, "body_too_large", "Too big.", false],
    ["statusCode 415", exposed({ statusCode: 415 }), 415, "unsupported_media_type", "Too big.", false],
    ["an unlisted 403", exposed({ status: 403 }), 400, "malformed_request", "Too big.", false],
    [
      "a hidden 409",
      thrown({ status: 409 }),
      400,
      "malformed_request",
      "The request was refused: Conflict.",
      true,
    ],
    ["a 500", exposed({ status: 500 }), 500, "internal_error", "The service failed", true],
    ["a status that is no number", exposed({ status: "404" }), 500, "internal_error", "The service", true],
    ["a 302", thrown({ status: 302 }), 500, "internal_error", "The service failed", true],
    ["a bare status 400", set(400), 400, "malformed_request", "The request was refused: Bad Request.", false],
    ["a bare status 404", set(404), 404, "route_not_found", "The request was refused: Not Found.", false],
    ["a bare status 499", set(499), 400, "malformed_request", "The request was refused: 499.", false],
    ["a bare status 502", set(502), 500, "internal_error", "The service failed", false],
    ["a bare status 503", set(503), 503, "overloaded", "The request was refused: Service", false],
  ] as const) {
    it(`fails with ${what}: the answer, the log and the metrics say ${code}`, async () => {
      await start(INNER, [middleware]);
      const answer = await get(app, "/added");
      expectError(answer, status, code);
      expect(JSON.parse(answer.text).message).to.match(new RegExp(`^${message}`));
      expect(finished.map((one) => [one.status, one.code])).to.deep.equal([[status, code]]);
      expect(causes()).to.have.length(isLogged ? 1 : 0);
    });
  }

  it("fails with headers of its own, which the answer has", async () => {
    const headers = { "Retry-After": "9" };
    await start(INNER, [(ctx: Context) => ctx.throw(429, CANARY, { expose: false, headers })]);
    const answer = await get(app, "/added");
    expectError(answer, 429, "rate_limited");
    expect(answer.headers["retry-after"]).to.equal("9");
  });

  class BrokenRepository extends MemoryPetRepository {
    override list = fail;
  }
  const repository = new BrokenRepository();
  const BROKEN_LOG = { isLevelEnabled: fail, error: fail, info: fail, warn: fail } as unknown as Logger;
  for (const [what, place, middleware, options] of [
    ["after the operation has answered", OUTERMOST, (_: Context, next: Next) => next().then(fail), {}],
    ["with what is no Error", INNER, () => Promise.reject(0), {}],
    ["by a body that cannot be JSON", INNER, (ctx: Context) => Object.assign(ctx, { body: { big: 1n } }), {}],
    ["by a header that HTTP does not allow", INNER, (ctx: Context) => ctx.set("X-Bad", "a\nb"), {}],
    ["as a handler does, and the log as well", INNER, pass, { repository, log: BROKEN_LOG }],
  ] as const) {
    it(`may fail ${what}: the answer is in the one shape`, async () => {
      await start(place, [middleware], options);
      expectError(await get(app, "/v1/pets"), 500, "internal_error");
      if (place === OUTERMOST) expect(causes().map(({ msg }) => msg)).to.deep.equal(["answering failed"]);
    });
  }

  function pass(_: Context, next: Next): Promise<void> {
    return next();
  }

  it("may fail: no header of the body that the error replaces is left", async () => {
    await start(INNER, [
      (ctx: Context) => {
        ctx.set({ ETag: '"x"', "Content-Encoding": "gzip" });
        ctx.body = "half done";
        fail();
      },
    ]);
    const answer = await get(app, "/v1/pets");
    expectError(answer, 500, "internal_error");
    expect(answer.headers).not.to.have.any.keys("etag", "content-encoding");
  });

  it("may listen, and fail: the answer is a 500 in the one shape", async () => {
    await start(INNER, []);
    app.app.on("requestFinished", fail);
    expectError(await get(app, "/v1/pets"), 500, "internal_error");
  });
});
