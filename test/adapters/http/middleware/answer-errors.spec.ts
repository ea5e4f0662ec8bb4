import { expect } from "chai";
import injectRequest from "light-my-request";
import { pino } from "pino";
import { type ErrorCode, PetstoreError } from "../../../../src/domain/errors.js";
import { captureLog } from "../../../support/captured-log.js";
import { CANARY } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

const branded = (code: unknown) => new PetstoreError(code as ErrorCode, `${CANARY}.`);
const foreign = (status: number, properties: object = {}) =>
  Object.assign(new Error("Slow down."), { status, statusCode: status, expose: true, ...properties });
let reads = 0;
const hidden = { expose: false, message: CANARY };

const THROWN: Readonly<Record<string, [thrown: unknown, status?: number, code?: string]>> = {
  "an Error": [new Error(CANARY)],
  "an Error of a driver with a status": [Object.assign(new Error(CANARY), { status: 418, expose: true })],
  "a string": [CANARY],
  null: [null],
  "a proxy": [new Proxy(new Error(), { getPrototypeOf: () => expect.fail("getPrototypeOf") })],
  "a getter that throws": [
    Object.defineProperty(branded("pet_not_found"), "code", { get: () => expect.fail("a getter") }),
  ],
  "a code that the table lacks": [branded("unheard_of")],
  "the code of a property of every object": [branded("constructor")],
  "a foreign status beyond 599": [foreign(600)],
  "a foreign status with a fraction": [foreign(499.5)],
  "foreign headers with an invalid name": [foreign(418, { headers: { "a b": "c" } })],
  "foreign headers with a line break": [foreign(418, { headers: { "X-B": "c\r\nd" } })],
  "a code that changes": [
    Object.defineProperty(new PetstoreError("pet_not_found", "Gone."), "code", {
      get: () => (reads++ % 2 ? "unheard_of" : "pet_not_found"),
    }),
    404,
    "pet_not_found",
  ],
  "a foreign 404": [foreign(404, { headers: { "Content-Type": "text/plain" } }), 404, "route_not_found"],
  "a foreign 422": [foreign(422), 422, "malformed_request"],
  "a foreign 429 with headers": [foreign(429, { headers: { "X-A": "9" } }), 429, "rate_limited"],
  "a foreign 409, not to be exposed": [foreign(409, hidden), 409, "malformed_request"],
  "a foreign 502, not to be exposed": [foreign(502, hidden), 502, "internal_error"],
};

describe("An error that middleware throws", () => {
  for (const [what, [thrown, status = 500, code = "internal_error"]] of Object.entries(THROWN)) {
    it(`becomes ${status} ${code}: ${what}`, async () => {
      const lines: string[] = [];
      // The serializer in `log.ts`, which no error breaks, has tests of its own.
      const log = pino({ serializers: { err: () => "cause" } }, { write: (line) => lines.push(line) });
      const { app, metric } = buildApp({ log });
      app.use(() => {
        throw thrown;
      });
      // Moves the last middleware before the one that responds if no route matched.
      app.middleware.splice(-2, 0, ...app.middleware.splice(-1));
      const { statusCode, headers, payload } = await injectRequest(app.callback(), "/");
      const body = JSON.parse(payload);
      expect([statusCode, body.status, body.code]).to.deep.equal([status, status, code]);
      expect(body.message).to.be.a("string").that.matches(/\.$/);
      expect(headers["content-type"]).to.equal("application/json");
      expect(headers["x-a"]).to.equal(status === 429 ? "9" : undefined);
      expect(payload).not.to.contain(CANARY);
      expect(await metric(`petstore_http_errors_total{code="${code}"}`)).to.equal(1);
      const causes = lines.filter((line) => line.includes("failed unexpectedly"));
      expect(causes).to.have.length(code === "internal_error" ? 1 : 0);
    });
  }

  it("is logged if it concerns no request any more, such as an error of writing", () => {
    const { log, lines } = captureLog();
    const { app, adminApp } = buildApp({ log });
    for (const application of [app, adminApp]) application.emit("error", new Error("EPIPE"));
    expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal(
      Array(2).fill([50, "sending a response failed"]),
    );
  });
});
