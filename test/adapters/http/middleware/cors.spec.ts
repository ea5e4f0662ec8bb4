import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

const ORIGIN = "https://app.example.org";
const corsOrigins = ["https://other.example.org", ORIGIN];
const PREFLIGHT = {
  Origin: ORIGIN,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
};

describe("CORS", () => {
  const app = buildApp({ settings: { PETSTORE_CORS_ORIGINS: corsOrigins } });

  it("answers a preflight before it asks for a key", async () => {
    const answer = await send(app, "OPTIONS", "/v1/pets", { key: null, headers: PREFLIGHT });
    expect(answer.status).to.equal(204);
    expect(answer.headers).to.include({
      ...FIXED_HEADERS,
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-methods": allowOf().replace(", OPTIONS", ""),
      "access-control-allow-headers": PREFLIGHT["Access-Control-Request-Headers"],
      "access-control-max-age": "7200",
      vary: "Origin",
    });
  });

  it("lets scripts read answers and their headers", async () => {
    const { text, headers } = await get(app, "/v1/pets", { headers: { Origin: ORIGIN } });
    expect([text, headers["access-control-allow-origin"]]).to.deep.equal(["[]", ORIGIN]);
    expect(headers["access-control-expose-headers"]).to.equal(
      "Allow,Deprecation,Idempotency-Replayed,Link,Location,RateLimit,RateLimit-Policy,Retry-After,Sunset," +
        "WWW-Authenticate,X-Request-Id",
    );
  });

  it("lets scripts read every error, and marks no other answer with the same error", async () => {
    const headers = { Origin: ORIGIN };
    const full = buildApp({ settings: { PETSTORE_CORS_ORIGINS: corsOrigins, PETSTORE_MAX_IN_FLIGHT: 0 } });
    for (const [answer, status, code] of [
      [await post(app, "", { headers }), 400, "missing_body"],
      [await get(app, "/v1/pets", { headers: { ...headers, Host: ["a", "b"] } }), 400, "malformed_request"],
      [await get(app, "/v1/pets", { key: null, headers }), 401, "missing_credentials"],
      [await get(full, "/v1/pets", { headers }), 503, "overloaded"],
    ] as const) {
      expectError(answer, status, code);
      expect(answer.headers["access-control-allow-origin"], code).to.equal(ORIGIN);
    }
    const { headers: others } = await get(app, "/v1/pets", { key: null });
    expect(others).not.to.have.property("access-control-allow-origin");
  });

  for (const [what, service, headers, vary] of [
    ["an OPTIONS that is no preflight", app, { Origin: "null" }, "Origin"],
    ["another origin", app, { ...PREFLIGHT, Origin: `${ORIGIN}.evil.org` }, "Origin"],
    ["no list of origins", buildApp(), PREFLIGHT, undefined],
  ] as const) {
    it(`changes nothing for ${what}`, async () => {
      const preflight = await send(service, "OPTIONS", "/v1/pets", { key: null, headers });
      const options = await send(service, "OPTIONS", "/v1/pets", { headers });
      const answer = await get(service, "/v1/pets", { headers });
      expect([preflight.status, options.headers.allow, answer.headers.vary]).to.deep.equal([
        401,
        allowOf("/pets"),
        vary,
      ]);
      for (const one of [preflight, options, answer]) {
        expect(one.headers).not.to.have.property("access-control-allow-origin");
      }
    });
  }
});
