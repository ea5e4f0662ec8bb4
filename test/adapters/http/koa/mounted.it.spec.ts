import { text } from "node:stream/consumers";
import { expect } from "chai";
import Koa, { type Middleware } from "koa";
import bodyParser from "koa-bodyparser";
import mount from "koa-mount";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { type ServedKoa, serveKoa } from "../../../support/serve-koa.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };
const PET = '{"name":"Rex","categoryId":1}';

describe("The application mounted in another one", () => {
  let app: StartedApp;
  let served: ServedKoa;
  afterEach(async () => {
    await served.close();
    await app.close();
  });

  async function serve(mounted: (app: Koa) => Middleware, before: Middleware[] = []): Promise<void> {
    app = await startApp();
    const outer = new Koa();
    for (const middleware of before) outer.use(middleware);
    outer.use(mounted(app.app as unknown as Koa));
    outer.use((ctx) => {
      if (ctx.path.endsWith("/outer")) ctx.body = `outer at ${ctx.path}`;
    });
    served = await serveKoa(outer);
  }

  for (const [name, prefix, mounted] of [
    ["under a prefix within a prefix", "/a/b", (app: Koa) => mount("/a", new Koa().use(mount("/b", app)))],
    ["without a prefix", "", (app: Koa) => mount(app)],
  ] as const) {
    describe(name, () => {
      beforeEach(() => serve(mounted));

      const ask = (path: string, init: RequestInit = {}) =>
        fetch(served.origin + prefix + path, { headers: AUTHORIZATION, ...init });

      it("links to pages below its prefix, and has the headers of the contract", async () => {
        const headers = { ...AUTHORIZATION, "Content-Type": "application/json" };
        for (const id of [1, 2]) {
          const created = await ask("/v1/pets", { method: "POST", headers, body: PET });
          expect(created.headers.get("location")).to.equal(`${prefix}/v1/pets/${id}`);
        }
        const first = await ask("/v1/pets?limit=1");
        expect(first.headers.get("content-type")).to.equal("application/json");
        expect(first.headers.get("cache-control")).to.equal("no-store");
        expect(first.headers.get("x-request-id")).to.match(/^[\w-]{36}$/);
        const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
        expect(next).to.match(new RegExp(`^${prefix}/v1/pets\\?`));
        const second = await fetch(served.origin + next, { headers: AUTHORIZATION });
        expect(await second.text()).to.equal('[{"id":2,"name":"Rex","categoryId":1,"status":"available"}]');
      });

      it("marks getPet as deprecated, with links below its prefix", async () => {
        const { headers } = await ask("/v1/pets/99");
        expect(headers.get("deprecation")).to.equal("@1795219200");
        expect(headers.get("link")).to.contain(`<${prefix}/v1/pets?status=available>`);
        expect(headers.get("link")).to.contain(`<${prefix}/docs>`);
      });

      it("refuses in the one shape", async () => {
        expectError(await get(served, `${prefix}/v1/pets`, { key: null }), 401, "missing_credentials");
        expectError(await get(served, `${prefix}/v1/pets/`), 404, "route_not_found");
        expectError(await send(served, "PUT", `${prefix}/v1/pets`), 405, "method_not_allowed");
      });

      it("leaves requests without a route to the outer application", async () => {
        const answer = await ask("/outer");
        expect([answer.status, await answer.text()]).to.deep.equal([200, `outer at ${prefix}/outer`]);
      });
    });
  }

  const readsBody: Middleware = async (ctx, next) => {
    await text(ctx.req);
    await next();
  };
  const setsEncoding: Middleware = (ctx, next) => {
    ctx.req.setEncoding("utf8");
    return next();
  };
  for (const [what, before] of [
    ["has read the body", readsBody],
    ["has parsed the body", bodyParser()],
    ["has set an encoding", setsEncoding],
  ] as const) {
    it(`behind middleware that ${what} refuses a create with 400 malformed_request`, async () => {
      await serve((app) => mount(app), [before]);
      expectError(await post(served, PET), 400, "malformed_request");
    });
  }
});
