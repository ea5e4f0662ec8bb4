import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import type { Context } from "koa";
import compress from "koa-compress";
import conditionalGet from "koa-conditional-get";
import etag from "koa-etag";
import helmet from "koa-helmet";
import type { Handler } from "../../../src/adapters/http/context.js";
import type { FinishedRequest } from "../../../src/adapters/http/events.js";
import { createHttpServer } from "../../../src/adapters/http/server/http-server.js";
import { captureLog } from "../../support/captured-log.js";
import { CANARY, expectError, FIXED_HEADERS } from "../../support/expect-error.js";
import { API_KEY, type BuiltApp, buildApp } from "../../support/start-app.js";

function fail(): never {
  throw new Error(CANARY);
}

describe("A middleware in Koa's manners", () => {
  let app: BuiltApp;
  let server: Server;
  let origin: string;
  let finished: FinishedRequest[];
  let causes: () => readonly object[];
  afterEach(async () => {
    server.close().closeAllConnections();
    await app.close();
  });

  /** Starts the service with more middleware, the first at `place` in the list of `app.ts`. */
  async function start(place: number, middleware: readonly unknown[]): Promise<void> {
    const captured = captureLog();
    causes = captured.causes;
    app = await buildApp({ log: captured.log });
    app.app.middleware.splice(place, 0, ...(middleware as Handler[]));
    server = createHttpServer(app.app, 1000).server;
    await once(server.listen(0, "127.0.0.1"), "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    finished = [];
    app.app.on("requestFinished", (one) => finished.push(one));
  }

  async function get(path: string) {
    const answer = await fetch(origin + path, {
      headers: { Authorization: `Bearer ${API_KEY}` },
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  }

  const OUTERMOST = 0;
  /** Behind those that identify, observe and answer errors. */
  const INNER = 3;

  for (const [what, handler, text, type] of [
    [
      "a text",
      (ctx) => Object.assign(ctx, { body: '{"hello":1}' }),
      '{"hello":1}',
      "text/plain; charset=utf-8",
    ],
    ["bytes", (ctx) => Object.assign(ctx, { body: Buffer.from("Zoë") }), "Zoë", "application/octet-stream"],
    [
      "a value",
      (ctx) => Object.assign(ctx, { body: { hello: 1 } }),
      '{"hello":1}',
      "application/json; charset=utf-8",
    ],
    [
      "a stream",
      (ctx) => Object.assign(ctx, { body: createReadStream(LICENSE) }),
      undefined,
      "application/octet-stream",
    ],
    ["nothing", () => {}, "", undefined],
  ] as readonly [string, (ctx: Context) => unknown, string | undefined, string | undefined][]) {
    it(`answers ${what}`, async () => {
      const accept = (ctx: Context) => {
        ctx.status = 202;
        handler(ctx);
      };
      await start(INNER, [accept]);
      const answer = await get("/added");
      expect(answer.status).to.equal(202);
      expect(answer.headers["content-type"]).to.equal(type);
      expect(answer.headers).to.include(FIXED_HEADERS);
      if (text === undefined) expect(answer.text).to.match(/^MIT License/);
      else expect(answer.text).to.equal(text);
      expect(finished.map(({ status, code }) => [status, code])).to.deep.equal([[202, undefined]]);
      const headed = await fetch(`${origin}/added`, { method: "HEAD" });
      expect([headed.status, await headed.text()]).to.deep.equal([202, ""]);
    });
  }

  it("may answer by ctx.res, with ctx.respond false", async () => {
    await start(INNER, [
      (ctx: Context) => {
        ctx.respond = false;
        ctx.res.statusCode = 403;
        setImmediate(() => ctx.res.end("own answer"));
      },
    ]);
    expect(await get("/added")).to.include({ status: 403, text: "own answer" });
  });

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

  it("may fail in front of all others: the answer is in the one shape, and the log has the failure, once", async () => {
    await start(OUTERMOST, [fail]);
    expectError(await get("/v1/pets"), 500, "internal_error");
    expect(causes()).to.have.length(1);
    expect(causes()[0]).to.include({ msg: "answering failed" });
  });

  it("may fail when Node makes the head, which allows no Trailer beside a length", async () => {
    await start(INNER, [(ctx: Context) => Object.assign(ctx, { body: "x" }).set("Trailer", "X-T")]);
    const answer = await get("/v1/pets");
    expectError(answer, 500, "internal_error");
    expect(answer.headers).not.to.have.property("trailer");
  });
});

const LICENSE = fileURLToPath(new URL("../../../../LICENSE", import.meta.url));
