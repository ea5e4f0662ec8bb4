import { request } from "node:http";
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

const AUTHORIZATION = { Authorization: `Bearer ${API_KEY}` };
const PET = { id: 1, name: "Zoë", categoryId: 1, status: "available" };
const GZIP = { "Accept-Encoding": "gzip" };

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

describe("With middleware from npm before ours", () => {
  const test = appOfEachTest();
  let served: ServedKoa;
  beforeEach(async () => {
    const packages = [responseTime(), helmet(), compress({ threshold: 0 }), conditionalGet(), etag()];
    served = await test.serve((app) => app.middleware.unshift(...(packages as never[])));
    const created = await create();
    expect([created.status, created.headers.location]).to.deep.equal([201, "/v1/pets/1"]);
  });

  function ask(method: string, path: string, headers = {}, body?: string): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const options = { port: served.port, path, method, headers: { ...AUTHORIZATION, ...headers } };
      request({ ...options, agent: false }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk) => chunks.push(chunk));
        answer.on("end", () => {
          resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(chunks) });
        });
      })
        .on("error", reject)
        .end(body);
    });
  }

  const create = () => ask("POST", "/v1/pets", { "Content-Type": "application/json" }, JSON.stringify(PET));

  it("answers have the headers and the coding of the packages, and else ours", async () => {
    const { status, headers, bytes } = await ask("GET", "/v1/pets", GZIP);
    expect(status).to.equal(200);
    expect(headers).to.include({
      "content-type": "application/json",
      "content-encoding": "gzip",
      "cache-control": "no-store",
      "x-frame-options": "SAMEORIGIN",
    });
    expect(headers["content-security-policy"]).to.contain("script-src 'self'");
    expect(headers["x-request-id"]).to.match(/^[\w-]{36}$/);
    expect(headers).to.include.keys("etag", "x-response-time");
    expect(JSON.parse(gunzipSync(bytes).toString())).to.deep.equal([PET]);
    const page = await ask("GET", "/docs", GZIP);
    expect(gunzipSync(page.bytes).toString()).to.contain("</html>");
    const head = await ask("HEAD", "/v1/pets", GZIP);
    expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
    expect((await ask("OPTIONS", "/v1/pets", GZIP)).status).to.equal(204);
  });

  it("koa-conditional-get with koa-etag answers 304 until the answer changes", async () => {
    const { headers } = await ask("GET", "/v1/pets");
    const condition = { "If-None-Match": headers.etag };
    const unchanged = await ask("GET", "/v1/pets", condition);
    expect([unchanged.status, unchanged.bytes.length]).to.deep.equal([304, 0]);
    expect(unchanged.headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    await create();
    expect((await ask("GET", "/v1/pets", condition)).status).to.equal(200);
  });

  it("an error stays whole", async () => {
    const { status, headers, bytes } = await ask("GET", "/v1/pets?limit=0", GZIP);
    expect([status, headers["content-type"]]).to.deep.equal([400, "application/json"]);
    const text = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    expect(JSON.parse(text.toString())).to.include({ code: "invalid_parameter", status: 400 });
  });
});
