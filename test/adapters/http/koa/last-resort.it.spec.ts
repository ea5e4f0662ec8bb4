import { expect } from "chai";
import type { Middleware } from "koa";
import { allowOrigins } from "../../../../src/adapters/http/middleware/cors.js";
import { captureLog } from "../../../support/captured-log.js";
import { expectError } from "../../../support/expect-error.js";
import { exchange, head } from "../../../support/raw-http.js";
import { type ServedKoa, servePetstore } from "../../../support/serve-koa.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

function fail(): never {
  throw new Error("planted");
}

/** Node refuses a Trailer beside a length, when it makes the head. */
const impossible: Middleware = (ctx) => {
  ctx.set("Trailer", "X-T");
  ctx.body = "hello";
};

describe("An answer that cannot be written", () => {
  let app: StartedApp;
  let served: ServedKoa;
  afterEach(async () => {
    await served.close();
    await app.close();
  });

  async function serveWith(middleware: Middleware, options: AppOptions = {}): Promise<void> {
    app = await startApp(options);
    app.app.use((ctx, next) => (ctx.path === "/added" ? middleware(ctx, next) : next()));
    served = await servePetstore(app.app);
  }

  const ask = (path: string) => exchange(served.port, head(`GET ${path} HTTP/1.1`));

  it("becomes a 500 in the one shape, and is logged, if its headers contradict each other", async () => {
    const { log, lines } = captureLog();
    await serveWith(impossible, { log });
    expectError(await ask("/added"), 500, "internal_error");
    expect(lines.filter(({ msg }) => msg === "answering failed")).to.have.length(1);
  });

  it("becomes a 500 in the one shape, with the fixed headers, if the log fails as well", async () => {
    const origin = "https://app.example.org";
    await serveWith(impossible, { cors: allowOrigins([origin]) });
    app.app.removeAllListeners("error").on("error", fail);
    const answer = await exchange(served.port, head("GET /added HTTP/1.1", `Origin: ${origin}`));
    expect(answer.headers["access-control-allow-origin"]).to.equal(origin);
    expectError(answer, 500, "internal_error");
    expect(answer.headers).to.include({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    expect(answer.headers["x-request-id"]).to.match(/^[\w-]{36}$/);
    expect(answer.headers).not.to.have.property("trailer");
  });

  it("ends only its own connection if nothing at all can be written", async () => {
    await serveWith((ctx) => {
      ctx.res.writeHead = fail;
      ctx.body = "hello";
    });
    const outcome = await ask("/added").then(
      () => "answered",
      (error: Error) => error.message,
    );
    expect(outcome).to.match(/^the connection ended /);
    expect((await ask("/v1/pets")).status).to.equal(200);
  });
});
