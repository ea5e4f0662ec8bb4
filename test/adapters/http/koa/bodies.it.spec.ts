import { Readable } from "node:stream";
import { expect } from "chai";
import type { Context, Middleware } from "koa";
import { appOfEachTest } from "../../../support/app-of-each-test.js";

const TEXT = "Zoë, the cat";

// Koa itself sends these answers; what this service adds must leave them whole.
describe("The answer that a middleware sets", () => {
  const test = appOfEachTest();

  async function answerOf(middleware: (ctx: Context) => unknown): Promise<Response> {
    const served = await test.serve((app) => app.use(middleware as Middleware));
    return fetch(`${served.origin}/added`);
  }

  for (const [name, values, status, type, text] of [
    ["a string", { body: TEXT }, 200, "text/plain; charset=utf-8", TEXT],
    ["a stream", { body: Readable.from([Buffer.from(TEXT)]) }, 200, "application/octet-stream", TEXT],
    ["null", { body: null }, 204, null, ""],
    ["a status alone", { status: 202 }, 202, "text/plain; charset=utf-8", "Accepted"],
  ] as const) {
    it(`stays as it is, with the fixed headers, if it is ${name}`, async () => {
      const answer = await answerOf((ctx) => Object.assign(ctx, values));
      expect([answer.status, answer.headers.get("content-type")]).to.deep.equal([status, type]);
      expect(answer.headers.get("x-content-type-options")).to.equal("nosniff");
      expect(await answer.text()).to.equal(text);
    });
  }

  it("is left to the middleware that sets ctx.respond to false", async () => {
    const answer = await answerOf((ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(403, { "X-Own": "own" });
      ctx.res.end("own answer");
    });
    expect([answer.status, answer.headers.get("x-own")]).to.deep.equal([403, "own"]);
    expect(await answer.text()).to.equal("own answer");
  });
});
