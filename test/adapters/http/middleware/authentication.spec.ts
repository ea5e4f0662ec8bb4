import type { Socket } from "node:net";
import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { API_KEY, FixedKeys } from "../../../support/start-app.js";
import { useApp } from "../../../support/use-app.js";

const MISSING = 'Bearer realm="petstore"';
const INVALID = 'Bearer realm="petstore", error="invalid_token"';
/** One message for malformed, unknown and revoked keys, so that no answer tells them apart. */
const NOT_ACCEPTED = "The API key is not accepted; ask the operator for a valid one.";

describe("Authentication", () => {
  const app = useApp();

  const withHeader = (authorization: string) =>
    get(app(), "/v1/pets", { key: null, headers: { Authorization: authorization } });

  for (const authorization of [`bearer ${API_KEY}`, `bEaReR ${API_KEY}`, `Bearer   ${API_KEY}`]) {
    it(`takes the scheme in letters of any case, with several spaces after it: "${authorization}"`, async () => {
      expect((await withHeader(authorization)).status).to.equal(200);
    });
  }

  for (const authorization of ["", "Basic dXNlcjpwYXNz", API_KEY, `Bearer${API_KEY}`, `Bearer:${API_KEY}`]) {
    it(`answers another scheme with 401 missing_credentials: "${authorization}"`, async () => {
      const answer = await withHeader(authorization);
      expectError(answer, 401, "missing_credentials");
      expect(answer.headers["www-authenticate"]).to.equal(MISSING);
    });
  }

  for (const authorization of [
    "Bearer",
    `Bearer ${CANARY}`,
    `Bearer ${API_KEY}x`,
    `Bearer "${API_KEY}"`,
    `Bearer ${API_KEY}\xa0`,
    `Bearer ${API_KEY} ${CANARY}`,
    `Bearer ${CANARY}\xe9`,
    `Bearer ${"x".repeat(10_000)}`,
    // Node joins two headers so.
    `Bearer ${API_KEY}, Bearer ${API_KEY}`,
  ]) {
    const shown = authorization.slice(0, 50);
    it(`answers a credential that is not accepted with 401 invalid_credentials: "${shown}"`, async () => {
      const answer = await withHeader(authorization);
      expectError(answer, 401, "invalid_credentials");
      expect(answer.headers["www-authenticate"]).to.equal(INVALID);
      expect(JSON.parse(answer.text).message).to.equal(NOT_ACCEPTED);
    });
  }

  it("never takes a key from the query, a cookie or another header", async () => {
    const path = `/v1/store/orders?access_token=${API_KEY}&api_key=${API_KEY}&key=${API_KEY}`;
    const headers = {
      "X-API-Key": API_KEY,
      Cookie: `access_token=${API_KEY}`,
      "Proxy-Authorization": `Bearer ${API_KEY}`,
    };
    expectError(await get(app(), path, { key: null, headers }), 401, "missing_credentials");
  });

  for (const [method, path] of [
    ["GET", "/v1"],
    ["GET", "/v1?x"],
    ["GET", "http://petstore.test/v1//pets"],
    ["OPTIONS", "/v1/nowhere"],
  ] as const) {
    it(`comes before routing: ${method} ${path} without key is 401`, async () => {
      expectError(await send(app(), method, path, { key: null }), 401, "missing_credentials");
    });
  }

  it("comes before the check of the Accept header and of the body", async () => {
    const headers = { Accept: "text/html", "Content-Type": "text/plain", "Content-Encoding": "gzip" };
    expectError(await post(app(), "x".repeat(20_000), { key: null, headers }), 401, "missing_credentials");
  });

  for (const path of ["/v1x", "/V1/pets", "/%761/pets"]) {
    it(`is not asked for outside /v1: ${path} is 404 without key`, async () => {
      expectError(await get(app(), path, { key: null }), 404, "route_not_found");
    });
  }
});

describe("A key", () => {
  const keys = new FixedKeys("key-of-ann", "key-of-bob");
  const app = useApp({ keyVerifier: keys });
  before("all requests come over one connection", () => {
    let kept: Socket | undefined;
    app().app.middleware.unshift(({ req }, next) => {
      kept ??= req.socket;
      Object.defineProperty(req, "socket", { value: kept });
      return next();
    });
  });
  const answerTo = (key: string | null) => get(app(), "/v1/pets", { key });
  const statusWith = async (key: string | null) => (await answerTo(key)).status;

  it("is needed anew for each request", async () => {
    expect(await statusWith("key-of-ann")).to.equal(200);
    expect(await statusWith(null)).to.equal(401);
    expect(await statusWith("key-of-an")).to.equal(401);
    expect(await statusWith("key-of-bob")).to.equal(200);
  });

  it("that is revoked ends at once, and no other does", async () => {
    expect(await statusWith("key-of-bob")).to.equal(200);
    keys.revoke("key-of-bob");
    expect((await answerTo("key-of-bob")).text).to.contain(NOT_ACCEPTED);
    expect(await statusWith("key-of-ann")).to.equal(200);
  });
});
