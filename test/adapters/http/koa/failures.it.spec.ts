import { expect } from "chai";
import Koa, { type Middleware } from "koa";
import mount from "koa-mount";
import type { Logger } from "pino";
import { allowOrigins } from "../../../../src/adapters/http/middleware/cors.js";
import type { PetstoreApp } from "../../../../src/adapters/http/petstore-app.js";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { captureLog } from "../../../support/captured-log.js";
import type { Answer } from "../../../support/client.js";
import { CANARY, expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { exchange, head } from "../../../support/raw-http.js";
import { type ServedKoa, serveKoa, servePetstore } from "../../../support/serve-koa.js";
import { API_KEY, type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

function fail(): never {
  throw new Error(CANARY);
}

const BROKEN_LOG = { isLevelEnabled: fail, error: fail, info: fail, warn: fail } as unknown as Logger;

class BrokenRepository extends MemoryPetRepository {
  override list = fail;
}

describe("A failure", () => {
  let app: StartedApp | undefined;
  let served: ServedKoa | undefined;
  afterEach(async () => {
    await served?.close();
    await app?.close();
  });

  async function answerOf(
    options: AppOptions,
    add: (middleware: Middleware[], app: PetstoreApp) => unknown,
  ): Promise<Answer> {
    app = await startApp(options);
    add(app.app.middleware as Middleware[], app.app);
    served = await servePetstore(app.app);
    return get("/v1/pets");
  }

  /** Without the rules of `client.ts`: an answer that a middleware before ours prevents has no request id. */
  async function get(path: string): Promise<Answer> {
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const answer = await fetch(`${served?.origin}${path}`, { headers });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text: await answer.text(),
    };
  }

  const first = (middleware: Middleware) => (all: Middleware[]) => all.unshift(middleware);
  const behind = (middleware: Middleware) => (all: Middleware[]) => all.splice(-1, 0, middleware);
  const nothing = () => {};
  const failingListener = (_: unknown, app: PetstoreApp) => app.on("requestFinished", fail);
  const repository = new BrokenRepository();
  for (const [name, options, add] of [
    ["a middleware before ours", {}, first(fail)],
    ["a middleware after the operation has answered", {}, first((_, next) => next().then(fail))],
    ["a middleware that throws no Error", {}, first(() => Promise.reject(0))],
    ["a handler, with a log that fails as well,", { repository, log: BROKEN_LOG }, nothing],
    ["a handler, with a listener that fails as well,", { repository }, failingListener],
    ["a body that cannot be JSON", {}, behind((ctx) => Object.assign(ctx, { body: { big: 1n } }))],
    ["a header that HTTP does not allow", {}, behind((ctx) => ctx.set("X-Bad", "a\nb"))],
  ] as const) {
    it(`of ${name} is answered in the one shape`, async () => {
      expectError(await answerOf(options, add), 500, "internal_error");
    });
  }

  it("by ctx.throw before ours is answered in the one shape", async () => {
    const answer = await answerOf(
      {},
      first((ctx) => ctx.throw(404, "Not here.")),
    );
    expectError(answer, 404, "route_not_found");
  });

  it("below a prefix in another application is answered in the one shape", async () => {
    app = await startApp({ repository });
    served = await serveKoa(new Koa().use(mount("/shop", app.app as unknown as Koa)));
    expectError(await get("/shop/v1/pets"), 500, "internal_error");
  });

  it("of a middleware before ours that has sent a part of its answer cuts the connection", async () => {
    const reading = answerOf(
      {},
      first((ctx) => {
        ctx.respond = false;
        ctx.res.write("half");
        fail();
      }),
    );
    expect(await reading.catch(({ message }) => message)).to.match(/^(terminated|fetch failed)$/);
  });

  it("to write an answer becomes a 500 with the fixed headers, even if the log fails as well", async () => {
    const origin = "https://app.example.org";
    app = await startApp({ cors: allowOrigins([origin]) });
    app.app.removeAllListeners("error").on("error", fail);
    // Node refuses a Trailer beside a length, when it makes the head.
    app.app.use((ctx) => {
      ctx.set("Trailer", "X-T");
      ctx.body = "hello";
    });
    served = await servePetstore(app.app);
    const answer = await exchange(served.port, head("GET /added HTTP/1.1", `Origin: ${origin}`));
    expectError(answer, 500, "internal_error");
    expect(answer.headers).to.include({ ...FIXED_HEADERS, "access-control-allow-origin": origin });
    expect(answer.headers["x-request-id"]).to.match(/^[\w-]{36}$/);
    expect(answer.headers).not.to.have.property("trailer");
  });

  it("to write an answer is logged", async () => {
    const { log, lines } = captureLog();
    expectError(await answerOf({ log }, first(fail)), 500, "internal_error");
    expect(lines.filter(({ msg }) => msg === "answering failed")).to.have.length(1);
  });

  it("to write anything at all ends only its own connection", async () => {
    const reading = answerOf(
      {},
      first((ctx, next) => {
        if (ctx.path === "/v1/pets") ctx.res.writeHead = fail;
        return next();
      }),
    );
    expect(await reading.catch(({ message }) => message)).to.equal("fetch failed");
    expect((await get("/v1/store/orders")).status).to.equal(200);
  });

  it("leaves no header of the body that it replaces", async () => {
    const answer = await answerOf(
      {},
      behind((ctx) => {
        ctx.set({ ETag: '"x"', "Content-Encoding": "gzip" });
        ctx.body = "half done";
        fail();
      }),
    );
    expectError(answer, 500, "internal_error");
    expect(answer.headers).not.to.have.any.keys("etag", "content-encoding");
  });
});
