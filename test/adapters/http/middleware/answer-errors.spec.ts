import { expect } from "chai";
import Koa from "koa";
import injectRequest from "light-my-request";
import { answerErrors } from "../../../../src/adapters/http/middleware/answer-errors.js";
import { identify } from "../../../../src/adapters/http/middleware/identify.js";
import type { Log } from "../../../../src/application/ports/log.js";
import { type ErrorCode, PetstoreError, storageUnavailable } from "../../../../src/domain/errors.js";
import { CANARY } from "../../../support/expect-error.js";

const branded = (code: unknown, message: unknown = CANARY) =>
  new PetstoreError(code as ErrorCode, message as string);
const foreign = (status: number, properties: object = {}) =>
  Object.assign(new Error("Slow down."), { status, statusCode: status, expose: true, ...properties });
const throwing = (name: string) =>
  Object.defineProperty(branded("pet_not_found"), name, {
    get() {
      throw new Error("a getter");
    },
  });

/** What middleware throws, and the response that it becomes. */
const INTERNAL: Readonly<Record<string, unknown>> = {
  "an Error": new Error(CANARY),
  "a frozen Error": Object.freeze(new Error(CANARY)),
  "an Error of a driver with a status": Object.assign(new Error(CANARY), { status: 418, expose: true }),
  "an Error without a prototype": Object.setPrototypeOf(new Error(CANARY), null),
  "a string": CANARY,
  null: null,
  undefined,
  "a proxy": new Proxy(new Error(), { getPrototypeOf: () => expect.fail("getPrototypeOf") }),
  "a getter of the code": throwing("code"),
  "a getter of the message": throwing("message"),
  "a message that is not text": Object.assign(branded("pet_not_found"), { message: { toString: null } }),
  "a foreign status beyond 599": foreign(600),
  ...Object.fromEntries(
    ["unheard_of", "constructor", "__proto__", "toString", "", 404, ["pet_not_found"], null, undefined].map(
      (code) => [`the code ${JSON.stringify(code)}`, branded(code)],
    ),
  ),
};
const OTHERS: Readonly<Record<string, [thrown: unknown, status: number, code: string]>> = {
  "a storage that is down": [storageUnavailable(new Error(CANARY)), 503, "storage_unavailable"],
  "a foreign 404": [foreign(404), 404, "pet_not_found"],
  "a foreign 413": [foreign(413), 413, "body_too_large"],
  "a foreign 422": [foreign(422), 422, "malformed_request"],
  "a foreign 409, not to be exposed": [
    foreign(409, { expose: false, message: CANARY }),
    409,
    "malformed_request",
  ],
  "a foreign 502": [foreign(502, { expose: false, message: CANARY }), 502, "internal_error"],
  "what ctx.throw throws": [429, 429, "rate_limited"],
};

describe("What middleware throws", () => {
  const internal = Object.entries(INTERNAL).map(
    ([what, thrown]) => [what, [thrown, 500, "internal_error"]] as const,
  );
  for (const [what, [thrown, status, code]] of [...internal, ...Object.entries(OTHERS)]) {
    it(`becomes ${status} ${code}: ${what}`, async () => {
      const logged: unknown[] = [];
      const error = (fields: { err?: unknown }) => logged.push(fields.err);
      let state: unknown;
      const app = new Koa().use(identify);
      app.use((ctx, next) => {
        state = ctx.state;
        return next();
      });
      app.use(answerErrors({ error } as Partial<Log> as Log));
      app.use((ctx) => {
        if (typeof thrown === "number" && status === thrown) ctx.throw(thrown, "Slow down.");
        throw thrown;
      });
      const answer = await injectRequest(app.callback(), "/");
      const body = JSON.parse(answer.payload);
      expect([answer.statusCode, body.status, body.code]).to.deep.equal([status, status, code]);
      expect(body.message).to.be.a("string").that.matches(/\.$/);
      expect(answer.headers["content-type"]).to.equal("application/json");
      expect(answer.payload).not.to.contain(CANARY);
      expect(state).to.have.property("errorCode", code);
      // The guard logs an outage.
      expect(logged.length).to.equal(code === "internal_error" ? 1 : 0);
      if (logged.length > 0 && logged[0] !== thrown) expect.fail("the cause is not in the log");
    });
  }

  it("keeps the headers of an error of foreign middleware", async () => {
    const app = new Koa().use(identify).use(answerErrors({} as Log));
    app.use((ctx) => ctx.throw(429, "Slow down.", { headers: { "Retry-After": "9" } }));
    expect((await injectRequest(app.callback(), "/")).headers).to.include({ "retry-after": "9" });
  });
});
