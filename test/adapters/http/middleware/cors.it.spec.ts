import { expect } from "chai";
import { allowOrigins } from "../../../../src/adapters/http/middleware/cors.js";
import { API_KEY, type StartedApp, startApp } from "../../../support/start-app.js";

const ORIGIN = "https://app.example.org";
const AUTHORIZED = { Authorization: `Bearer ${API_KEY}` };
const PREFLIGHT = {
  Origin: ORIGIN,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
};

describe("CORS", () => {
  let app: StartedApp;
  afterEach(() => app.close());

  function send(method: string, headers: Record<string, string>): Promise<Response> {
    return fetch(`${app.origin}/v1/pets`, { method, headers });
  }

  describe("for the origins on the list", () => {
    beforeEach(async () => {
      app = await startApp({ cors: allowOrigins(["https://other.example.org", ORIGIN]) });
    });

    it("answers a preflight before it asks for a key", async () => {
      const answer = await send("OPTIONS", { ...PREFLIGHT, "X-Request-Id": "abc" });
      expect(answer.status).to.equal(204);
      expect(answer.headers.get("x-request-id")).to.equal("abc");
      expect(answer.headers.get("cache-control")).to.equal("no-store");
      expect(answer.headers.get("access-control-allow-origin")).to.equal(ORIGIN);
      expect(answer.headers.get("access-control-allow-methods")).to.equal("GET, HEAD, POST");
      expect(answer.headers.get("access-control-allow-headers")).to.equal(
        "authorization,content-type,idempotency-key",
      );
      expect(answer.headers.get("access-control-max-age")).to.equal("7200");
      expect(answer.headers.get("vary")).to.equal("Origin");
      expect(await answer.text()).to.equal("");
    });

    it("lets scripts read answers and their headers", async () => {
      const answer = await send("GET", { ...AUTHORIZED, Origin: ORIGIN });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("access-control-allow-origin")).to.equal(ORIGIN);
      const exposed = answer.headers.get("access-control-expose-headers")?.split(",");
      expect(exposed).to.include.members([
        "Link",
        "Location",
        "Deprecation",
        "Sunset",
        "Retry-After",
        "Idempotency-Replayed",
        "RateLimit",
        "RateLimit-Policy",
        "X-Request-Id",
        "WWW-Authenticate",
      ]);
      expect(answer.headers.get("content-type")).to.equal("application/json");
      expect(await answer.json()).to.deep.equal([]);
    });

    it("lets scripts read errors", async () => {
      const answer = await send("GET", { Origin: ORIGIN });
      expect(answer.status).to.equal(401);
      expect(answer.headers.get("access-control-allow-origin")).to.equal(ORIGIN);
      expect(answer.headers.get("www-authenticate")).to.equal('Bearer realm="petstore"');
      expect(await answer.json()).to.include({ code: "missing_credentials" });
    });

    it("treats an OPTIONS that is no preflight as without CORS", async () => {
      expect((await send("OPTIONS", { Origin: ORIGIN })).status).to.equal(401);
      const answer = await send("OPTIONS", { ...AUTHORIZED, Origin: ORIGIN });
      expect(answer.status).to.equal(204);
      expect(answer.headers.get("allow")).to.equal("GET, HEAD, OPTIONS, POST");
    });

    for (const origin of ["https://evil.example.org", "null", "https://app.example.org.evil.org", ""]) {
      it(`does not allow the origin "${origin}"`, async () => {
        const preflight = await send("OPTIONS", { ...PREFLIGHT, Origin: origin });
        expect(preflight.status).to.equal(401);
        const answer = await send("GET", { ...AUTHORIZED, Origin: origin });
        expect(answer.status).to.equal(200);
        expect(answer.headers.get("vary")).to.equal("Origin");
        for (const { headers } of [preflight, answer]) {
          expect(headers.get("access-control-allow-origin")).to.equal(null);
        }
      });
    }
  });

  it("is off by default", async () => {
    app = await startApp();
    const preflight = await send("OPTIONS", PREFLIGHT);
    expect(preflight.status).to.equal(401);
    const answer = await send("GET", { ...AUTHORIZED, Origin: ORIGIN });
    for (const { headers } of [preflight, answer]) {
      expect([...headers.keys()].filter((name) => /^(access-control|vary)/.test(name))).to.deep.equal([]);
    }
  });
});
