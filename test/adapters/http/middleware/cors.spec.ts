import { expect } from "chai";
import { get, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { useApp } from "../../../support/use-app.js";

const ORIGIN = "https://app.example.org";
const PREFLIGHT = {
  Origin: ORIGIN,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
};

describe("CORS for the origins on the list", () => {
  const app = useApp({ corsOrigins: ["https://other.example.org", ORIGIN] });

  it("answers a preflight before it asks for a key", async () => {
    const answer = await send(app(), "OPTIONS", "/v1/pets", { key: null, headers: PREFLIGHT });
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
    const { text, headers } = await get(app(), "/v1/pets", { headers: { Origin: ORIGIN } });
    expect(text).to.equal("[]");
    expect(headers["access-control-allow-origin"]).to.equal(ORIGIN);
    expect(headers["access-control-expose-headers"]).to.equal(
      "Allow,Deprecation,Idempotency-Replayed,Link,Location,RateLimit,RateLimit-Policy,Retry-After,Sunset," +
        "WWW-Authenticate,X-Request-Id",
    );
  });

  it("lets scripts read errors, and marks no other answer with the same error", async () => {
    const answer = await send(app(), "POST", "/v1/pets", { headers: { Origin: ORIGIN } });
    expectError(answer, 400, "missing_body");
    expect(answer.headers["access-control-allow-origin"]).to.equal(ORIGIN);
    const refused = await get(app(), "/v1/pets", { key: null, headers: { Origin: ORIGIN } });
    expect(refused.headers["access-control-allow-origin"]).to.equal(ORIGIN);
    const { headers } = await send(app(), "POST", "/v1/pets");
    expect(headers).not.to.have.property("access-control-allow-origin");
  });

  it("treats an OPTIONS that is no preflight as without CORS", async () => {
    const headers = { Origin: ORIGIN };
    expect((await send(app(), "OPTIONS", "/v1/pets", { key: null, headers })).status).to.equal(401);
    const answer = await send(app(), "OPTIONS", "/v1/pets", { headers });
    expect([answer.status, answer.headers.allow]).to.deep.equal([204, allowOf("/pets")]);
  });

  for (const origin of ["https://evil.example.org", "null", "https://app.example.org.evil.org", ""]) {
    it(`does not allow the origin "${origin}"`, async () => {
      const headers = { ...PREFLIGHT, Origin: origin };
      const preflight = await send(app(), "OPTIONS", "/v1/pets", { key: null, headers });
      const answer = await get(app(), "/v1/pets", { headers });
      expect([preflight.status, answer.status]).to.deep.equal([401, 200]);
      expect(answer.headers.vary).to.equal("Origin");
      expect(preflight.headers).not.to.have.property("access-control-allow-origin");
      expect(answer.headers).not.to.have.property("access-control-allow-origin");
    });
  }
});

describe("CORS", () => {
  const app = useApp();

  it("is off by default", async () => {
    const preflight = await send(app(), "OPTIONS", "/v1/pets", { key: null, headers: PREFLIGHT });
    const answer = await get(app(), "/v1/pets", { headers: PREFLIGHT });
    expect([preflight.status, answer.status]).to.deep.equal([401, 200]);
    expect(JSON.stringify([preflight.headers, answer.headers])).not.to.match(/access-control|vary/);
  });
});
