import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import Koa from "koa";
import mount from "koa-mount";
import { type ServedKoa, serveKoa } from "../../../support/serve-koa.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };

for (const [name, prefix, mounted] of [
  ["under a prefix", "/shop", (app: Koa) => mount("/shop", app)],
  ["under a prefix within a prefix", "/a/b", (app: Koa) => mount("/a", new Koa().use(mount("/b", app)))],
  ["without a prefix", "", (app: Koa) => mount(app)],
] as const) {
  describe(`The application mounted in another one ${name}`, () => {
    let app: StartedApp;
    let served: ServedKoa;
    before(async () => {
      app = await startApp();
      const outer = new Koa();
      outer.use(mounted(app.app as unknown as Koa));
      outer.use((ctx) => {
        if (ctx.path.endsWith("/outer")) ctx.body = `outer at ${ctx.path}`;
      });
      served = await serveKoa(outer);
      for (const pet of ["Rex", "Zoë"]) {
        const answer = await send("POST", "/v1/pets", JSON.stringify({ name: pet, categoryId: 1 }));
        expect(answer.status).to.equal(201);
        expect(answer.headers.get("location")).to.match(new RegExp(`^${prefix}/v1/pets/[12]$`));
      }
    });
    after(async () => {
      await served.close();
      await app.close();
    });

    function send(method: string, path: string, body?: string, headers: object = {}): Promise<Response> {
      return fetch(served.origin + prefix + path, {
        method,
        headers: { ...AUTHORIZATION, ...(body && { "Content-Type": "application/json" }), ...headers },
        ...(body && { body }),
      });
    }

    it("answers with the headers and the media type of the contract", async () => {
      const answer = await send("GET", "/v1/pets");
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("content-type")).to.equal("application/json");
      expect(answer.headers.get("cache-control")).to.equal("no-store");
      expect(answer.headers.get("x-request-id")).to.match(/^[\w-]{36}$/);
      expect(await answer.json()).to.have.length(2);
    });

    it("links to pages below its prefix", async () => {
      const first = await send("GET", "/v1/pets?limit=1");
      const [, next = ""] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
      expect(next).to.match(new RegExp(`^${prefix}/v1/pets\\?`));
      const second = await fetch(served.origin + next, { headers: AUTHORIZATION });
      expect(await second.json()).to.deep.equal([{ id: 2, name: "Zoë", categoryId: 1, status: "available" }]);
    });

    it("marks getPet as deprecated, with links below its prefix", async () => {
      for (const path of ["/v1/pets/1", "/v1/pets/99"]) {
        const answer = await send("GET", path);
        expect(answer.headers.get("deprecation")).to.equal("@1795219200");
        expect(answer.headers.get("link")).to.contain(`<${prefix}/v1/pets?status=available>`);
        expect(answer.headers.get("link")).to.contain(`<${prefix}/docs>`);
      }
    });

    for (const [method, path, status, code, headers] of [
      ["GET", "/v1/pets", 401, "missing_credentials", { Authorization: "" }],
      ["GET", "/v1/pets?limit=0", 400, "invalid_parameter", {}],
      ["GET", "/v1/pets/99", 404, "pet_not_found", {}],
      ["GET", "/v1/pets/", 404, "route_not_found", {}],
      ["PUT", "/v1/pets", 405, "method_not_allowed", {}],
      ["GET", "/v1/pets", 406, "not_acceptable", { Accept: "text/html" }],
    ] as const) {
      it(`refuses with ${code} in the one shape`, async () => {
        const answer = await send(method, path, undefined, headers);
        expect(answer.status).to.equal(status);
        expect(answer.headers.get("content-type")).to.equal("application/json");
        const body = (await answer.json()) as object;
        expect(body).to.have.all.keys("code", "message", "status");
        expect(body).to.include({ code, status });
      });
    }

    it("answers HEAD, OPTIONS and a document that has not changed without a body", async () => {
      const head = await send("HEAD", "/v1/pets");
      expect([head.status, head.headers.get("content-length"), await head.text()]).to.deep.equal([
        200,
        "118",
        "",
      ]);
      const options = await send("OPTIONS", "/v1/pets");
      expect([options.status, options.headers.get("allow")]).to.deep.equal([204, "GET, HEAD, OPTIONS, POST"]);
      const page = await send("GET", "/docs");
      const tag = page.headers.get("etag") ?? "";
      const again = await send("GET", "/docs", undefined, { "If-None-Match": tag });
      expect([again.status, await again.text()]).to.deep.equal([304, ""]);
    });

    it("leaves requests without a route to the outer application", async () => {
      const answer = await send("GET", "/outer");
      expect([answer.status, await answer.text()]).to.deep.equal([200, `outer at ${prefix}/outer`]);
    });
  });
}

for (const [what, read] of [
  ["has read the body", (req: IncomingMessage) => text(req)],
  ["has set an encoding", (req: IncomingMessage) => req.setEncoding("utf8")],
] as const) {
  describe(`The application mounted behind middleware that ${what}`, () => {
    let app: StartedApp;
    let served: ServedKoa;
    before(async () => {
      app = await startApp();
      const outer = new Koa();
      outer.use(async (ctx, next) => {
        await read(ctx.req);
        await next();
      });
      outer.use(mount(app.app as unknown as Koa));
      served = await serveKoa(outer);
    });
    after(async () => {
      await served.close();
      await app.close();
    });

    it("refuses a create with 400 malformed_request", async () => {
      const headers = { ...AUTHORIZATION, "Content-Type": "application/json" };
      const body = JSON.stringify({ name: "Rex", categoryId: 1 });
      const answer = await fetch(`${served.origin}/v1/pets`, { method: "POST", headers, body });
      expect(await answer.json()).to.include({ code: "malformed_request", status: 400 });
    });
  });
}
