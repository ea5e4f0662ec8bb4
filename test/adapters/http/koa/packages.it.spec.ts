import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import type { Middleware } from "koa";
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

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

describe("With middleware from npm before ours,", () => {
  const test = appOfEachTest();
  let served: ServedKoa;

  async function serveWith(...added: Middleware[]): Promise<void> {
    served = await test.serve((app) => app.middleware.unshift(...(added as never[])));
    const answer = await ask("POST", "/v1/pets", { "Content-Type": "application/json" }, JSON.stringify(PET));
    expect(answer.status).to.equal(201);
    expect(answer.headers.location).to.equal("/v1/pets/1");
  }

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

  function expectPets({ status, headers, bytes }: RawAnswer): void {
    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("application/json");
    expect(headers["x-request-id"]).to.match(/^[\w-]{36}$/);
    expect(JSON.parse(bytes.toString())).to.deep.equal([PET]);
  }

  it("koa-helmet sets its headers", async () => {
    await serveWith(helmet() as Middleware);
    const answer = await ask("GET", "/v1/pets");
    expectPets(answer);
    expect(answer.headers).to.include({ "x-frame-options": "SAMEORIGIN", "cache-control": "no-store" });
    expect(answer.headers["content-security-policy"]).to.contain("script-src 'self'");
    expect((await ask("GET", "/v1/pets/9")).status).to.equal(404);
  });

  it("koa-conditional-get with koa-etag answers 304 until the answer changes", async () => {
    await serveWith(conditionalGet(), etag());
    const first = await ask("GET", "/v1/pets");
    expectPets(first);
    expect(first.headers.etag).to.match(/^"[^"]+"$/);
    const unchanged = await ask("GET", "/v1/pets", { "If-None-Match": first.headers.etag });
    expect(unchanged.status).to.equal(304);
    expect(unchanged.bytes).to.have.length(0);
    expect(unchanged.headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    await ask("POST", "/v1/pets", { "Content-Type": "application/json" }, JSON.stringify(PET));
    expect((await ask("GET", "/v1/pets", { "If-None-Match": first.headers.etag })).status).to.equal(200);
  });

  it("koa-compress compresses answers", async () => {
    await serveWith(compress({ threshold: 0 }) as unknown as Middleware);
    for (const [coding, decode] of [
      ["gzip", gunzipSync],
      ["br", brotliDecompressSync],
    ] as const) {
      const answer = await ask("GET", "/v1/pets", { "Accept-Encoding": coding });
      expect(answer.headers["content-encoding"]).to.equal(coding);
      expect(answer.headers.vary).to.equal("Accept-Encoding");
      expectPets({ ...answer, bytes: decode(answer.bytes) });
    }
    expectPets(await ask("GET", "/v1/pets", { "Accept-Encoding": "identity" }));
    const head = await ask("HEAD", "/v1/pets", { "Accept-Encoding": "gzip" });
    expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
    const page = await ask("GET", "/docs", { "Accept-Encoding": "gzip" });
    expect(gunzipSync(page.bytes).toString()).to.contain("</html>");
    expect((await ask("OPTIONS", "/v1/pets", { "Accept-Encoding": "gzip" })).status).to.equal(204);
  });

  it("koa-compress leaves an error whole", async () => {
    await serveWith(compress({ threshold: 0 }) as unknown as Middleware);
    const refused = await ask("GET", "/v1/pets?limit=0", { "Accept-Encoding": "gzip" });
    const { "content-encoding": coding, "content-type": type } = refused.headers;
    expect([refused.status, type]).to.deep.equal([400, "application/json"]);
    const text = coding === "gzip" ? gunzipSync(refused.bytes) : refused.bytes;
    expect(JSON.parse(text.toString())).to.include({ code: "invalid_parameter", status: 400 });
  });

  it("all of them work at once", async () => {
    await serveWith(
      responseTime() as Middleware,
      helmet() as Middleware,
      compress({ threshold: 0 }) as unknown as Middleware,
      conditionalGet(),
      etag(),
    );
    const answer = await ask("GET", "/v1/pets", { "Accept-Encoding": "gzip" });
    expectPets({ ...answer, bytes: gunzipSync(answer.bytes) });
    expect(answer.headers).to.include.keys("etag", "x-response-time", "x-frame-options");
  });
});
