import { Readable } from "node:stream";
import { expect } from "chai";
import type { Middleware } from "koa";
import { appOfEachTest } from "../../../support/app-of-each-test.js";

const TEXT = "Zoë, the cat";

/** Sets members of the context, e.g. `ctx.body`. */
function setting(values: object): Middleware {
  return (ctx) => {
    Object.assign(ctx, values);
  };
}

describe("The ctx.body that a middleware sets", () => {
  const test = appOfEachTest();

  async function answerOf(middleware: Middleware, method = "GET"): Promise<Response> {
    const served = await test.serve((app) => app.use(middleware));
    return fetch(`${served.origin}/added`, { method });
  }

  for (const [name, body, type] of [
    ["a string", () => TEXT, "text/plain; charset=utf-8"],
    ["a Buffer", () => Buffer.from(TEXT), "application/octet-stream"],
    ["a stream", () => Readable.from([Buffer.from(TEXT)]), "application/octet-stream"],
    ["a stream of the web", () => new Blob([TEXT]).stream(), "application/octet-stream"],
    ["a Blob", () => new Blob([TEXT], { type: "text/plain" }), "text/plain; charset=utf-8"],
    ["a Response", () => new Response(TEXT, { headers: { "Content-Type": "text/x-cat" } }), "text/x-cat"],
  ] as const) {
    it(`is the answer if it is ${name}`, async () => {
      const answer = await answerOf((ctx) => {
        ctx.body = body();
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("content-type")).to.equal(type);
      expect(answer.headers.get("x-content-type-options")).to.equal("nosniff");
      expect(await answer.text()).to.equal(TEXT);
    });

    it(`is left out of the answer to HEAD if it is ${name}`, async () => {
      const answer = await answerOf((ctx) => {
        ctx.body = body();
      }, "HEAD");
      expect([answer.status, await answer.text()]).to.deep.equal([200, ""]);
      expect(answer.headers.get("content-type")).to.equal(type);
    });
  }

  it("is JSON if it is an object", async () => {
    const answer = await answerOf((ctx) => {
      ctx.body = { name: TEXT };
    });
    expect(answer.headers.get("content-type")).to.equal("application/json; charset=utf-8");
    expect(await answer.json()).to.deep.equal({ name: TEXT });
  });

  it("has its length, for GET and HEAD alike, if it is an object", async () => {
    const length = String(Buffer.byteLength(JSON.stringify({ name: TEXT })));
    for (const method of ["GET", "HEAD"]) {
      const answer = await answerOf(setting({ body: { name: TEXT } }), method);
      expect(answer.headers.get("content-length")).to.equal(length);
      expect(answer.headers.has("transfer-encoding")).to.equal(false);
      expect(await answer.text()).to.equal(method === "HEAD" ? "" : JSON.stringify({ name: TEXT }));
    }
  });

  for (const [name, middleware, status, text] of [
    ["null", setting({ body: null }), 204, ""],
    ["nothing, and a status that has no body", setting({ status: 304 }), 304, ""],
    ["nothing, and a status", setting({ status: 202 }), 202, "Accepted"],
    ["a string, and a status that has no body", setting({ body: TEXT, status: 204 }), 204, ""],
  ] as readonly (readonly [string, Middleware, number, string])[]) {
    it(`gives ${status} if it is ${name}`, async () => {
      const answer = await answerOf(middleware);
      expect([answer.status, await answer.text()]).to.deep.equal([status, text]);
      if (text === "") expect(answer.headers.get("content-type")).to.equal(null);
    });
  }

  it("may come with several headers of one name, and without one of ours", async () => {
    const answer = await answerOf((ctx) => {
      ctx.append("Set-Cookie", "a=1");
      ctx.append("Set-Cookie", "b=2");
      ctx.remove("Cache-Control");
      ctx.body = String(ctx.response.get("set-cookie"));
    });
    expect(answer.headers.getSetCookie()).to.deep.equal(["a=1", "b=2"]);
    expect(answer.headers.has("cache-control")).to.equal(false);
    expect(await answer.text()).to.equal("a=1,b=2");
  });

  it("is left to the middleware that sets ctx.respond to false", async () => {
    const answer = await answerOf((ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(203, { "X-Own": "own" });
      ctx.res.write("own ");
      ctx.res.end("answer");
    });
    expect([answer.status, answer.headers.get("x-own")]).to.deep.equal([203, "own"]);
    expect(await answer.text()).to.equal("own answer");
  });

  it("cuts the connection if it is a stream that fails midway", async () => {
    const failing = async function* () {
      yield Buffer.alloc(100_000);
      throw new Error("midway");
    };
    const outcome = answerOf((ctx) => {
      ctx.body = Readable.from(failing());
    }).then((answer) => answer.arrayBuffer());
    expect(
      await outcome.then(
        () => "whole",
        () => "cut",
      ),
    ).to.equal("cut");
  });
});
