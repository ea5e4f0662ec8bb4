import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import Koa, { type Middleware } from "koa";
import mount from "koa-mount";
import { type ServedKoa, serveKoa } from "../../../support/serve-koa.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };
const POST = { method: "POST", headers: { ...AUTHORIZATION, "Content-Type": "application/json" } };

describe("The application mounted in another one", () => {
  let app: StartedApp;
  let served: ServedKoa;
  afterEach(async () => {
    await served.close();
    await app.close();
  });

  async function serve(mounted: (app: Koa) => Koa | Middleware): Promise<void> {
    app = await startApp();
    const inner = mounted(app.app as unknown as Koa);
    const outer = inner instanceof Koa ? inner : new Koa().use(inner);
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
      beforeEach(async () => {
        await serve(mounted);
        for (const pet of ["Rex", "Zoë"]) {
          const answer = await send("/v1/pets", {
            ...POST,
            body: JSON.stringify({ name: pet, categoryId: 1 }),
          });
          expect(answer.status).to.equal(201);
          expect(answer.headers.get("location")).to.match(new RegExp(`^${prefix}/v1/pets/[12]$`));
        }
      });

      const send = (path: string, init: RequestInit = {}) =>
        fetch(served.origin + prefix + path, { headers: AUTHORIZATION, ...init });

      it("links to pages below its prefix, and has the headers of the contract", async () => {
        const first = await send("/v1/pets?limit=1");
        expect(first.headers.get("content-type")).to.equal("application/json");
        expect(first.headers.get("cache-control")).to.equal("no-store");
        expect(first.headers.get("x-request-id")).to.match(/^[\w-]{36}$/);
        const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
        expect(next).to.match(new RegExp(`^${prefix}/v1/pets\\?`));
        const second = await fetch(served.origin + next, { headers: AUTHORIZATION });
        expect(await second.json()).to.deep.equal([
          { id: 2, name: "Zoë", categoryId: 1, status: "available" },
        ]);
      });

      it("marks getPet as deprecated, with links below its prefix", async () => {
        for (const path of ["/v1/pets/1", "/v1/pets/99"]) {
          const { headers } = await send(path);
          expect(headers.get("deprecation")).to.equal("@1795219200");
          expect(headers.get("link")).to.contain(`<${prefix}/v1/pets?status=available>`);
          expect(headers.get("link")).to.contain(`<${prefix}/docs>`);
        }
      });

      it("refuses in the one shape", async () => {
        for (const [path, init, code, status] of [
          ["/v1/pets", { headers: {} }, "missing_credentials", 401],
          ["/v1/pets/99", {}, "pet_not_found", 404],
          ["/v1/pets/", {}, "route_not_found", 404],
          ["/v1/pets", { method: "PUT" }, "method_not_allowed", 405],
        ] as const) {
          const answer = await send(path, init);
          expect(answer.status).to.equal(status);
          expect(answer.headers.get("content-type")).to.equal("application/json");
          const body = await answer.json();
          expect(body).to.have.all.keys("code", "message", "status").and.include({ code, status });
        }
      });

      it("answers HEAD, OPTIONS and a document that has not changed without a body", async () => {
        const head = await send("/v1/pets", { method: "HEAD" });
        const facts = [head.status, head.headers.get("content-length"), await head.text()];
        expect(facts).to.deep.equal([200, "118", ""]);
        const options = await send("/v1/pets", { method: "OPTIONS" });
        expect([options.status, options.headers.get("allow")]).to.deep.equal([
          204,
          "GET, HEAD, OPTIONS, POST",
        ]);
        const tag = (await send("/docs")).headers.get("etag") ?? "";
        const again = await send("/docs", { headers: { "If-None-Match": tag } });
        expect([again.status, await again.text()]).to.deep.equal([304, ""]);
      });

      it("leaves requests without a route to the outer application", async () => {
        const answer = await send("/outer");
        expect([answer.status, await answer.text()]).to.deep.equal([200, `outer at ${prefix}/outer`]);
      });
    });
  }

  for (const [what, read] of [
    ["has read the body", (req: IncomingMessage) => text(req)],
    ["has set an encoding", (req: IncomingMessage) => req.setEncoding("utf8")],
  ] as const) {
    it(`behind middleware that ${what} refuses a create with 400 malformed_request`, async () => {
      await serve((app) =>
        new Koa()
          .use(async (ctx, next) => {
            await read(ctx.req);
            await next();
          })
          .use(mount(app)),
      );
      const body = JSON.stringify({ name: "Rex", categoryId: 1 });
      const answer = await fetch(`${served.origin}/v1/pets`, { ...POST, body });
      expect(await answer.json()).to.include({ code: "malformed_request", status: 400 });
    });
  }
});
