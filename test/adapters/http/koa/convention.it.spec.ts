import { expect } from "chai";
import type { Context, Middleware } from "koa";
import type { FinishedRequest } from "../../../../src/adapters/http/events.js";
import { captureLog, type LogLine } from "../../../support/captured-log.js";
import { type ServedKoa, servePetstore } from "../../../support/serve-koa.js";
import { type StartedApp, startApp } from "../../../support/start-app.js";

const SECRET = "secret of a middleware";

/** Throws an error of another copy of `http-errors`, or one made by hand. */
const foreign = (members: object) => () => Promise.reject(Object.assign(new Error("too big"), members));

describe("An error of a middleware in Koa's convention", () => {
  let app: StartedApp;
  let served: ServedKoa;
  let causes: () => LogLine[];
  afterEach(async () => {
    await served.close();
    await app.close();
  });

  async function answerOf(middleware: (ctx: Context) => unknown) {
    const finished: FinishedRequest[] = [];
    const captured = captureLog();
    causes = captured.causes;
    app = await startApp({ log: captured.log });
    app.app.on("requestFinished", (request) => finished.push(request));
    app.app.use(middleware as Middleware);
    served = await servePetstore(app.app);
    const answer = await fetch(`${served.origin}/added`);
    const body = (await answer.json()) as { code: string; message: string; status: number };
    expect(body).to.have.all.keys("code", "message", "status");
    expect(body.status).to.equal(answer.status);
    // The log and the metrics get the status and the code of the answer.
    expect(finished.map(({ status, code }) => [status, code])).to.deep.equal([[body.status, body.code]]);
    return { answer, ...body };
  }

  const failures = () => causes().filter(({ level }) => level >= 50);

  for (const [name, middleware, status, code, message] of [
    ["made by hand", foreign({ status: 413, expose: true }), 413, "body_too_large", "too big"],
    ["with statusCode", foreign({ statusCode: 415, expose: true }), 415, "unsupported_media_type", "too big"],
    ["of a status that the list lacks", (ctx) => ctx.throw(403, "not you"), 403, "forbidden", "not you"],
    ["of a status that the contract replaces", (ctx) => ctx.throw(414, "no"), 400, "malformed_request", "no"],
  ] as readonly (readonly [string, (ctx: Context) => unknown, number, string, string])[]) {
    it(`${name} keeps its message, and is not logged as a failure`, async () => {
      expect(await answerOf(middleware)).to.include({ status, code, message });
      expect(failures()).to.deep.equal([]);
    });
  }

  it("that hides its message brings the remedy of its code and its own headers, and its message to the log", async () => {
    const headers = { "WWW-Authenticate": 'Basic realm="x"' };
    const { answer, status, code, message } = await answerOf((ctx) =>
      ctx.throw(401, SECRET, { expose: false, headers }),
    );
    expect(answer.headers.get("www-authenticate")).to.equal(headers["WWW-Authenticate"]);
    expect([status, code]).to.deep.equal([401, "missing_credentials"]);
    expect(message).to.match(/^Send the API key/);
    expect(failures().map(({ err }) => (err as Error).message)).to.deep.equal([SECRET]);
  });

  for (const [what, middleware, status, code] of [
    ["without expose", foreign({ status: 409 }), 409, "conflict"],
    ["with a 5xx", foreign({ status: 502, expose: true }), 500, "internal_error"],
    ["with a status that is no number", foreign({ status: "404", expose: true }), 500, "internal_error"],
  ] as const) {
    it(`${what} hides its message, and is logged as a failure`, async () => {
      const { message, ...answered } = await answerOf(middleware);
      expect(answered).to.include({ status, code });
      expect(message).not.to.contain("too big");
      expect(failures()).to.have.length(1);
    });
  }

  for (const [set, status, code] of [
    [403, 403, "forbidden"],
    [404, 404, "route_not_found"],
    [499, 400, "malformed_request"],
    [502, 500, "internal_error"],
  ] as const) {
    it(`or a bare status ${set} is answered, logged and counted as ${status}`, async () => {
      const answered = await answerOf((ctx) => {
        ctx.status = set;
      });
      expect(answered).to.include({ status, code });
    });
  }
});
