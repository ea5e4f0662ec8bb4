import { expect } from "chai";
import Koa from "koa";
import injectRequest from "light-my-request";
import { answerErrors } from "../../../../src/adapters/http/middleware/answer-errors.js";
import { identify } from "../../../../src/adapters/http/middleware/identify.js";
import { storageUnavailable } from "../../../../src/domain/errors.js";
import { captureLog } from "../../../support/captured-log.js";
import { CANARY } from "../../../support/expect-error.js";

const FAILED = "The service failed; the failure was logged. Try again later.";
const driverError = Object.assign(new Error(CANARY), { status: 418, expose: true });

describe("What middleware throws", () => {
  for (const [what, thrown, status, code, message] of [
    ["an Error", new Error(CANARY), 500, "internal_error", FAILED],
    ["an Error of a driver with a status", driverError, 500, "internal_error", FAILED],
    ["a string", CANARY, 500, "internal_error", FAILED],
    ["null", null, 500, "internal_error", FAILED],
    [
      "a storage that is away",
      storageUnavailable(new Error(CANARY)),
      503,
      "storage_unavailable",
      /^The storage/,
    ],
    ["what Koa may expose", { expose: true }, 409, "malformed_request", "Slow down."],
    ["what Koa may not expose", { expose: false }, 500, "internal_error", FAILED],
  ] as const) {
    it(`becomes ${status} ${code}: ${what}`, async () => {
      const { log, lines } = captureLog();
      const app = new Koa().use(identify).use(answerErrors(log));
      app.use((ctx) => {
        if (!what.includes("Koa")) throw thrown;
        ctx.throw(409, "Slow down.", { ...(thrown as object), headers: { "Retry-After": "9" } });
      });
      const answer = await injectRequest(app.callback(), "/");
      const body = JSON.parse(answer.payload);
      expect([answer.statusCode, body.status, body.code]).to.deep.equal([status, status, code]);
      expect(body.message).to.match(new RegExp(message));
      if (status === 409) expect(answer.headers["retry-after"]).to.equal("9");
      // Only what nobody expected is logged, with its cause; the guard logs an outage.
      expect(lines.map(({ requestId }) => requestId)).to.deep.equal(
        status === 500 ? [answer.headers["x-request-id"]] : [],
      );
      if (status === 500 && thrown instanceof Error) expect(JSON.stringify(lines)).to.contain(CANARY);
      expect(answer.payload).not.to.contain(CANARY);
    });
  }
});
