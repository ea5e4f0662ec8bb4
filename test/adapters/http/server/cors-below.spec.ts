import { expect } from "chai";
import type { WireErrorCode } from "../../../../src/adapters/http/answer/error-codes.js";
import { allowOrigins } from "../../../../src/adapters/http/middleware/cors.js";
import type { Answer } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { head, RawConnection } from "../../../support/raw-http.js";
import { type AppOptions, type StartedApp, startApp } from "../../../support/start-app.js";

const ORIGIN = "https://app.example.org";
const CORS = ["access-control-allow-origin", "access-control-expose-headers", "vary"];
const LIST = "GET /v1/pets HTTP/1.1";
const CREATE = "POST /v1/pets HTTP/1.1";
const CHUNKED = ["Content-Type: application/json", "Transfer-Encoding: chunked"];

/** Bytes with an `Origin` that are answered below the application. */
interface Below {
  readonly status: number;
  readonly code: WireErrorCode;
  readonly bytes: (origin: string) => string;
  readonly options?: AppOptions;
}

const BELOW: Record<string, Below> = {
  "a request beyond the limit": {
    status: 503,
    code: "overloaded",
    bytes: (origin) => head(LIST, origin),
    options: { limits: { inFlight: 0, connections: 10 } },
  },
  "a body that is never whole": {
    status: 408,
    code: "request_timeout",
    bytes: (origin) => head(CREATE, ...CHUNKED, origin),
    options: { timeouts: { headers: 100, request: 200 } },
  },
  "a body with too many chunk extensions": {
    status: 413,
    code: "body_too_large",
    bytes: (origin) => `${head(CREATE, ...CHUNKED, origin)}1;${"a".repeat(20_000)}\r\n`,
  },
  "a head that is too large": {
    status: 431,
    code: "headers_too_large",
    bytes: (origin) => head(LIST, origin, `X-Long: ${"a".repeat(20_000)}`),
  },
  "a malformed head": {
    status: 400,
    code: "malformed_request",
    bytes: (origin) => head(LIST, origin, "Content-Length: -1"),
  },
  "a malformed body": {
    status: 400,
    code: "malformed_request",
    bytes: (origin) => `${head(CREATE, ...CHUNKED, origin)}zz\r\n`,
  },
  "an unknown method": {
    status: 405,
    code: "method_not_allowed",
    bytes: (origin) => head("FETCH /v1/pets HTTP/1.1", origin),
  },
  CONNECT: {
    status: 405,
    code: "method_not_allowed",
    bytes: (origin) => head("CONNECT petstore.test:80 HTTP/1.1", origin),
  },
};

describe("CORS below the application", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  async function answerTo({ bytes, options }: Below, origin: string, on = true): Promise<Answer> {
    app = await startApp({
      ...options,
      ...(on && { cors: allowOrigins(["https://b.example.org", ORIGIN]) }),
    });
    const connection = await RawConnection.open(app.port);
    const answer = await connection.send(bytes(`origin: ${origin}`)).answer();
    connection.close();
    return answer;
  }

  const corsOf = ({ headers }: Answer) => CORS.map((name) => headers[name]);

  for (const [what, below] of Object.entries(BELOW)) {
    const { status, code } = below;
    it(`lets scripts of the origins on the list read ${status} of ${what}, as they read answers of the application`, async () => {
      const answer = await answerTo(below, ORIGIN);
      expectError(answer, status, code);
      await app.close();
      const usual = await answerTo({ ...below, bytes: (origin) => head(LIST, origin), options: {} }, ORIGIN);
      expect(usual.status).to.equal(200);
      expect(corsOf(answer)).to.deep.equal(corsOf(usual));
      expect(answer.headers["access-control-allow-origin"]).to.equal(ORIGIN);
      expect(answer.headers["access-control-expose-headers"]).to.contain("Retry-After");
    });

    it(`lets scripts of no other origin read ${status} of ${what}`, async () => {
      for (const origin of ["https://app.example.org.evil.org", "null"]) {
        const answer = await answerTo(below, origin);
        expectError(answer, status, code);
        expect(corsOf(answer)).to.deep.equal([undefined, undefined, "Origin"]);
        await app.close();
      }
    });

    it(`adds no header to ${status} of ${what} if it is off`, async () => {
      expect(corsOf(await answerTo(below, ORIGIN, false))).to.deep.equal([undefined, undefined, undefined]);
    });
  }

  it("cannot know the origin of a head that is never whole", async () => {
    const below = { ...BELOW["a body that is never whole"], bytes: (o: string) => `${LIST}\r\n${o}\r\n` };
    const answer = await answerTo(below as Below, ORIGIN);
    expectError(answer, 408, "request_timeout");
    expect(corsOf(answer)).to.deep.equal([undefined, undefined, "Origin"]);
  });
});
