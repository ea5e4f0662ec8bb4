import { expect } from "chai";
import { get, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { FIXED_HEADERS } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

const ORIGIN = "https://app.example.org";
const settings = { corsOrigins: ["https://other.example.org", ORIGIN] };
const PREFLIGHT = {
  Origin: ORIGIN,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
};
const ALLOWED = "access-control-allow-origin";

describe("CORS", () => {
  const app = buildApp({ settings });

  it("responds to a preflight without a key", async () => {
    const answer = await send(app, "OPTIONS", "/v1/pets", { key: null, headers: PREFLIGHT });
    expect([answer.status, answer.headers["content-type"]]).to.deep.equal([204, undefined]);
    expect(answer.headers).to.include({
      ...FIXED_HEADERS,
      [ALLOWED]: ORIGIN,
      "access-control-allow-methods": allowOf().replace(", OPTIONS", ""),
      "access-control-allow-headers": PREFLIGHT["Access-Control-Request-Headers"],
      "access-control-max-age": "7200",
      vary: "Origin",
    });
  });

  it("lets scripts read every response and its headers, and marks no later one with the same error", async () => {
    const headers = { Origin: ORIGIN };
    const full = buildApp({ settings: { ...settings, maxInFlight: 0 } });
    for (const answer of [
      await get(app, "/v1/pets", { headers }),
      await get(app, "/v1/pets", { headers: { ...headers, Host: "a b" } }),
      await get(app, "/v1/pets", { key: null, headers }),
      await get(full, "/v1/pets", { headers }),
    ]) {
      expect(answer.headers[ALLOWED]).to.equal(ORIGIN);
      const exposed = answer.headers["access-control-expose-headers"]?.split(",");
      expect(exposed).to.include.members(["Deprecation", "Link", "Location", "Retry-After", "X-Request-Id"]);
    }
    expect((await get(app, "/v1/pets", { key: null })).headers).not.to.have.property(ALLOWED);
  });

  for (const [what, service, headers] of [
    ["an OPTIONS that is not a preflight", app, { Origin: "null" }],
    ["another origin", app, { ...PREFLIGHT, Origin: `${ORIGIN}.evil.org` }],
    ["a service without a list of origins", buildApp(), PREFLIGHT],
  ] as const) {
    it(`changes nothing for ${what}`, async () => {
      const preflight = await send(service, "OPTIONS", "/v1/pets", { key: null, headers });
      const options = await send(service, "OPTIONS", "/v1/pets", { headers });
      expect([preflight.status, options.headers.allow]).to.deep.equal([401, allowOf("/pets")]);
      for (const answer of [preflight, options, await get(service, "/v1/pets", { headers })]) {
        expect(answer.headers).not.to.have.property(ALLOWED);
      }
    });
  }
});
