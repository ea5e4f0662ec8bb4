import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect } from "chai";
import compress from "koa-compress";
import conditionalGet from "koa-conditional-get";
import etag from "koa-etag";
import helmet from "koa-helmet";
import responseTime from "koa-response-time";
import { appOfEachTest } from "../../../support/app-of-each-test.js";
import type { ServedKoa } from "../../../support/serve-koa.js";
import { API_KEY } from "../../../support/start-app.js";

describe("With middleware from npm before ours", () => {
  const test = appOfEachTest();
  let served: ServedKoa;
  beforeEach(async () => {
    const packages = [responseTime(), helmet(), compress({ threshold: 0 }), conditionalGet(), etag()];
    served = await test.serve((app) => app.middleware.unshift(...(packages as never[])));
  });

  /** The answer as it comes: `fetch` would decode it. */
  async function get(path: string, more: Record<string, string> = {}) {
    const headers = { Authorization: `Bearer ${API_KEY}`, "Accept-Encoding": "gzip", ...more };
    const sent = request({ port: served.port, path, headers, agent: false }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
  }

  it("answers have the headers and the coding of the packages, and else ours", async () => {
    const { status, headers, bytes } = await get("/v1/pets");
    expect(status).to.equal(200);
    expect(headers).to.include({
      "content-type": "application/json",
      "content-encoding": "gzip",
      "cache-control": "no-store",
      "x-frame-options": "SAMEORIGIN",
    });
    expect(headers["content-security-policy"]).to.contain("script-src 'self'");
    expect(headers).to.include.keys("etag", "x-request-id", "x-response-time");
    expect(gunzipSync(bytes).toString()).to.equal("[]");
    const unchanged = await get("/v1/pets", { "If-None-Match": headers.etag ?? "" });
    expect([unchanged.status, unchanged.bytes.length]).to.deep.equal([304, 0]);
  });

  it("an error stays whole", async () => {
    const { status, headers, bytes } = await get("/v1/pets?limit=0");
    expect([status, headers["content-type"]]).to.deep.equal([400, "application/json"]);
    const text = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    expect(JSON.parse(text.toString())).to.include({ code: "invalid_parameter", status: 400 });
  });
});
