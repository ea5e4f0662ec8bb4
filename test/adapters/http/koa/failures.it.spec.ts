import { expect } from "chai";
import type { Middleware } from "koa";
import Koa from "koa";
import mount from "koa-mount";
import type { Logger } from "pino";
import type { RequestObserver } from "../../../../src/adapters/http/middleware/observe-requests.js";
import { MemoryPetRepository } from "../../../../src/adapters/memory/memory-pet-repository.js";
import { type ServedKoa, serveKoa, servePetstore } from "../../../support/serve-koa.js";
import { API_KEY, type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const SECRET = "secret of a middleware";
const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };

function fail(): never {
  throw new Error(SECRET);
}

const BROKEN_LOG = { isLevelEnabled: fail, error: fail, info: fail, warn: fail } as unknown as Logger;
const BROKEN_OBSERVER: RequestObserver = { requestFinished: fail };

/** Fails in every handler. */
class BrokenRepository extends MemoryPetRepository {
  override list(): never {
    throw new Error(SECRET);
  }
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
    add: (middleware: Middleware[]) => unknown = () => {},
  ): Promise<Response> {
    app = await startApp(options);
    add(app.app.middleware as Middleware[]);
    served = await servePetstore(app.app);
    return fetch(`${served.origin}/v1/pets`, { headers: AUTHORIZATION });
  }

  async function expectShape(answer: Response, status: number, code: string): Promise<void> {
    const body = (await answer.json()) as { code: string };
    expect(body).to.have.all.keys("code", "message", "status");
    expect(body).to.include({ code, status });
    expect(answer.status).to.equal(status);
    expect(answer.headers.get("content-type")).to.equal("application/json");
    expect(JSON.stringify(body)).not.to.contain(SECRET);
  }

  for (const [name, options, add] of [
    ["a middleware before ours", {}, (all: Middleware[]) => all.unshift(fail)],
    ["a middleware behind ours", {}, (all: Middleware[]) => all.splice(-1, 0, fail)],
    [
      "a middleware after the operation has answered",
      {},
      (all: Middleware[]) => all.unshift((_, next) => next().then(fail)),
    ],
    ["a middleware that throws no Error", {}, (all: Middleware[]) => all.unshift(() => Promise.reject(0))],
    [
      "a handler, with a log that fails as well,",
      { repository: new BrokenRepository(), log: BROKEN_LOG },
      undefined,
    ],
    ["the log alone", { log: BROKEN_LOG }, (all: Middleware[]) => all.unshift(fail)],
    [
      "a handler, with an observer that fails as well,",
      { repository: new BrokenRepository(), observer: BROKEN_OBSERVER },
      undefined,
    ],
    [
      "a body that cannot be JSON",
      {},
      (all: Middleware[]) => all.splice(-1, 0, (ctx) => Object.assign(ctx, { body: { big: 1n } })),
    ],
    [
      "a header that HTTP does not allow",
      {},
      (all: Middleware[]) => all.splice(-1, 0, (ctx) => ctx.set("X-Bad", "a\nb")),
    ],
  ] as const) {
    it(`of ${name} is answered in the one shape`, async () => {
      await expectShape(await answerOf(options, add as () => unknown), 500, "internal_error");
    });
  }

  it("by ctx.throw before ours is answered in the one shape", async () => {
    const answer = await answerOf({}, (all) => all.unshift((ctx) => ctx.throw(404, "no")));
    await expectShape(answer, 404, "route_not_found");
  });

  it("below a prefix in another application is answered in the one shape", async () => {
    app = await startApp({ repository: new BrokenRepository() });
    served = await serveKoa(new Koa().use(mount("/shop", app.app as unknown as Koa)));
    await expectShape(
      await fetch(`${served.origin}/shop/v1/pets`, { headers: AUTHORIZATION }),
      500,
      "internal_error",
    );
  });

  it("leaves no header of the body that it replaces", async () => {
    const answer = await answerOf({}, (all) =>
      all.splice(-1, 0, (ctx) => {
        ctx.set({ ETag: '"x"', "Content-Encoding": "gzip" });
        ctx.body = "half done";
        fail();
      }),
    );
    await expectShape(answer, 500, "internal_error");
    expect([answer.headers.get("etag"), answer.headers.get("content-encoding")]).to.deep.equal([null, null]);
  });
});
