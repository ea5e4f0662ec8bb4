import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { API_KEY, buildApp, FixedKeys } from "../../../support/start-app.js";

describe("Authentication", () => {
  const keys = new FixedKeys(API_KEY, "expired", "revoked");
  keys.expire("expired");
  const app = buildApp({ keys });
  const withHeader = (authorization: string) =>
    get(app, "/v1/pets", { key: null, headers: { Authorization: authorization } });

  for (const authorization of [`bearer ${API_KEY}`, `bEaReR ${API_KEY}`, `Bearer   ${API_KEY}`]) {
    it(`takes "${authorization}"`, async () =>
      expect((await withHeader(authorization)).status).to.equal(200));
  }

  for (const authorization of ["", "Basic dXNlcjpwYXNz", API_KEY, `Bearer${API_KEY}`, `Bearer:${API_KEY}`]) {
    it(`misses a credential in "${authorization}"`, async () => {
      const answer = await withHeader(authorization);
      expectError(answer, 401, "missing_credentials");
      expect(answer.headers["www-authenticate"]).to.equal('Bearer realm="petstore"');
    });
  }

  for (const secret of [
    ...["", CANARY, "expired", `${API_KEY}x`, `"${API_KEY}"`, `${API_KEY}\xa0`, "x".repeat(10_000)],
    // Node joins two headers so.
    `${API_KEY}, Bearer ${API_KEY}`,
  ]) {
    it(`does not accept "Bearer ${secret.slice(0, 40)}", and does not tell why`, async () => {
      const answer = await withHeader(`Bearer ${secret}`);
      expectError(answer, 401, "invalid_credentials");
      expect(answer.headers["www-authenticate"]).to.equal('Bearer realm="petstore", error="invalid_token"');
      expect(JSON.parse(answer.text).message).to.match(/^The API key is not accepted; ask the operator /);
    });
  }

  it("notices at once that a key was revoked", async () => {
    const statuses = async () => [
      (await withHeader("Bearer revoked")).status,
      (await get(app, "/v1/pets")).status,
    ];
    expect(await statuses()).to.deep.equal([200, 200]);
    keys.revoke("revoked");
    expect(await statuses()).to.deep.equal([401, 200]);
  });

  it("takes no key from the query, a cookie or another header", async () => {
    const path = `/v1/store/orders?access_token=${API_KEY}&api_key=${API_KEY}`;
    const headers = {
      "X-API-Key": API_KEY,
      Cookie: `key=${API_KEY}`,
      "Proxy-Authorization": `Bearer ${API_KEY}`,
    };
    expectError(await get(app, path, { key: null, headers }), 401, "missing_credentials");
  });

  for (const method of ["GET", "OPTIONS", "PUT"]) {
    for (const path of ["/v1", "/v1?x", "http://petstore.test/v1//pets", "/v1/nowhere"]) {
      it(`comes before routing: ${method} ${path} without a key is 401`, async () => {
        expectError(await send(app, method, path, { key: null }), 401, "missing_credentials");
      });
    }
  }

  it("comes before the checks of Accept and of the body", async () => {
    const headers = { Accept: "text/html", "Content-Encoding": "gzip" };
    expectError(await post(app, "x", { key: null, headers }), 401, "missing_credentials");
  });

  for (const path of ["/v1x", "/V1/pets", "/%761/pets", "//v1/pets"]) {
    it(`is not asked for outside /v1: ${path} is 404 without a key`, async () => {
      expectError(await get(app, path, { key: null }), 404, "route_not_found");
    });
  }
});
