import { once } from "node:events";
import { type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Context } from "koa";
import compress from "koa-compress";
import conditionalGet from "koa-conditional-get";
import etag from "koa-etag";
import helmet from "koa-helmet";
import type { Handler } from "../../../src/adapters/http/context.js";
import { createHttpServer } from "../../../src/adapters/http/server/http-server.js";
import { CANARY, expectError } from "../../support/expect-error.js";
import { API_KEY, type BuiltApp, buildApp } from "../../support/start-app.js";

function fail(): never {
  throw new Error(CANARY);
}

describe("A middleware in Koa's manners", () => {
  let app: BuiltApp;
  let server: Server;
  let origin: string;
  afterEach(async () => {
    server.close().closeAllConnections();
    await app.close();
  });

  /** Starts the service with more middleware, the first at `place` in the list of `app.ts`. */
  async function start(place: number, middleware: readonly unknown[]): Promise<void> {
    app = await buildApp();
    app.app.middleware.splice(place, 0, ...(middleware as Handler[]));
    server = createHttpServer(app.app, 1000).server;
    await once(server.listen(0, "127.0.0.1"), "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function get(path: string) {
    const answer = await fetch(origin + path, { headers: { Authorization: `Bearer ${API_KEY}` } });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  }

  const OUTERMOST = 0;
  /** Behind those that identify, observe and answer errors. */
  const INNER = 3;

  for (const place of [OUTERMOST, INNER]) {
    it(`from npm works on our answers: helmet, compress, conditional-get and etag at place ${place}`, async () => {
      await start(place, [helmet(), compress({ threshold: 0 }), conditionalGet(), etag()]);
      const { status, headers, text } = await get("/v1/pets");
      expect([status, text]).to.deep.equal([200, "[]"]);
      expect(headers).to.include({
        "content-type": "application/json",
        "content-encoding": "gzip",
        "cache-control": "no-store",
        "x-frame-options": "SAMEORIGIN",
      });
      // `fetch` would ask for a fresh answer.
      const conditions = { Authorization: `Bearer ${API_KEY}`, "If-None-Match": headers.etag };
      const asked = request(`${origin}/v1/pets`, { headers: conditions, agent: false }).end();
      const [unchanged] = (await once(asked, "response")) as [IncomingMessage];
      expect(unchanged.resume().statusCode).to.equal(304);
      const refused = await get("/v1/pets?limit=0");
      expect([refused.status, refused.headers["content-type"]]).to.deep.equal([400, "application/json"]);
      expect(JSON.parse(refused.text)).to.include({ code: "invalid_parameter", status: 400 });
    });
  }

  it("may fail with a part of its answer sent, or without any way to answer: only its connection ends", async () => {
    await start(OUTERMOST, [
      (ctx: Context, next: () => Promise<void>) => {
        if (ctx.path === "/half") {
          ctx.res.write("half");
          fail();
        }
        if (ctx.path === "/none") ctx.res.writeHead = fail;
        return next();
      },
    ]);
    for (const path of ["/half", "/none"]) {
      expect(await get(path).catch(({ message }) => message)).to.match(/^(terminated|fetch failed)$/);
    }
    expect((await get("/v1/store/orders")).status).to.equal(200);
  });

  it("may fail when Node makes the head, which allows no Trailer beside a length", async () => {
    await start(INNER, [(ctx: Context) => Object.assign(ctx, { body: "x" }).set("Trailer", "X-T")]);
    const answer = await get("/v1/pets");
    expectError(answer, 500, "internal_error");
    expect(answer.headers).not.to.have.property("trailer");
  });
});
