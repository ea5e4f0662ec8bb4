import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import type { Middleware } from "koa";
import compress from "koa-compress";
import conditionalGet from "koa-conditional-get";
import etag from "koa-etag";
import helmet from "koa-helmet";
import responseTime from "koa-response-time";
import { type ServedKoa, servePetstore } from "../../../support/serve-koa.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

describe("With other middleware than ours", () => {
  let app: StartedApp;
  let served: ServedKoa;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(async () => {
    await served.close();
    await app.close();
  });

  /** The answer as it comes: `fetch` would decode it. */
  async function get(path: string, more: Record<string, string> = {}) {
    const headers = { Authorization: `Bearer ${API_KEY}`, "Accept-Encoding": "gzip", ...more };
    const sent = request({ port: served.port, path, headers, agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const bytes = await buffer(answer);
    const isPacked = answer.headers["content-encoding"] === "gzip";
    const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  describe("from npm before ours", () => {
    beforeEach(async () => {
      const packages = [responseTime(), helmet(), compress({ threshold: 0 }), conditionalGet(), etag()];
      app.app.middleware.unshift(...(packages as never[]));
      served = await servePetstore(app.app);
    });

    it("answers have the headers and the coding of the packages, and else ours", async () => {
      const { status, headers, text } = await get("/v1/pets");
      expect([status, text]).to.deep.equal([200, "[]"]);
      expect(headers).to.include({
        "content-type": "application/json",
        "content-encoding": "gzip",
        "cache-control": "no-store",
        "x-frame-options": "SAMEORIGIN",
      });
      expect(headers["content-security-policy"]).to.contain("script-src 'self'");
      expect(headers).to.include.keys("etag", "x-request-id", "x-response-time");
      const unchanged = await get("/v1/pets", { "If-None-Match": headers.etag ?? "" });
      expect(unchanged.status).to.equal(304);
    });

    it("an error stays whole", async () => {
      const { status, headers, text } = await get("/v1/pets?limit=0");
      expect([status, headers["content-type"]]).to.deep.equal([400, "application/json"]);
      expect(JSON.parse(text)).to.include({ code: "invalid_parameter", status: 400 });
    });
  });

  async function serveWith(middleware: Middleware): Promise<void> {
    app.app.use(middleware as never);
    served = await servePetstore(app.app);
  }

  for (const [what, set, answered] of [
    ["a body", { body: "Zoë, the cat" }, [200, "Zoë, the cat"]],
    ["a status alone", { status: 202 }, [202, "Accepted"]],
  ] as const) {
    it(`an answer that a middleware sets stays as it is, with the fixed headers, if it is ${what}`, async () => {
      await serveWith((ctx) => void Object.assign(ctx, set));
      const { status, headers, text } = await get("/added");
      expect([status, text]).to.deep.equal(answered);
      expect(headers).to.include({
        "content-type": "text/plain; charset=utf-8",
        "x-content-type-options": "nosniff",
      });
    });
  }

  it("an answer is left to the middleware that sets ctx.respond to false", async () => {
    await serveWith((ctx) => {
      ctx.respond = false;
      ctx.res.statusCode = 403;
      setImmediate(() => ctx.res.end("own answer"));
    });
    const { status, text } = await get("/added");
    expect([status, text]).to.deep.equal([403, "own answer"]);
  });
});
