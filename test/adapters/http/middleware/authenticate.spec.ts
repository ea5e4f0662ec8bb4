import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { API_KEY, buildApp, FixedKeys } from "../../../support/start-app.js";

const [MISSING, INVALID] = ["missing_credentials", "invalid_credentials"] as const;
const CHALLENGE = {
  [MISSING]: 'Bearer realm="petstore"',
  [INVALID]: 'Bearer realm="petstore", error="invalid_token"',
};

describe("Authentication", () => {
  const keys = new FixedKeys(API_KEY, "expired");
  keys.expire("expired");
  const app = buildApp({ keys });
  const withHeader = (authorization: string) =>
    get(app, "/v1/pets", { key: null, headers: { Authorization: authorization } });

  for (const [code, headers] of [
    [undefined, [`bEaReR   ${API_KEY}`]],
    [MISSING, ["", "Basic dXNlcjpwYXNz", API_KEY, `Bearer:${API_KEY}`]],
    [
      INVALID,
      ["Bearer ", "Bearer expired", `Bearer ${CANARY}`, `Bearer "${API_KEY}"`, `Bearer ${API_KEY}\xa0`],
    ],
    // Node joins two headers with a comma.
    [INVALID, [`Bearer ${API_KEY}, Bearer ${API_KEY}`]],
  ] as const) {
    for (const header of headers) {
      it(`responds to "${header}" with ${code ?? "200"}`, async () => {
        const answer = await withHeader(header);
        if (code) expectError(answer, 401, code);
        else expect(answer.status).to.equal(200);
        expect(answer.headers["www-authenticate"]).to.equal(code && CHALLENGE[code]);
      });
    }
  }

  it("does not tell why a key is invalid", async () => {
    const [expired, unknown] = [await withHeader("Bearer expired"), await withHeader("Bearer unknown")];
    expect(expired.text).to.equal(unknown.text);
  });

  it("takes no key from the query, a cookie or another header", async () => {
    const path = `/v1/store/orders?access_token=${API_KEY}&api_key=${API_KEY}`;
    const headers = { "X-API-Key": API_KEY, Cookie: API_KEY, "Proxy-Authorization": `Bearer ${API_KEY}` };
    expectError(await get(app, path, { key: null, headers }), 401, MISSING);
  });

  for (const path of [
    "GET /v1",
    "OPTIONS /v1/pets",
    "PUT /v1/nowhere",
    "GET http://petstore.test/v1//pets",
  ]) {
    it(`comes before routing: ${path} without a key is 401`, async () => {
      const [method = "", target = ""] = path.split(" ");
      expectError(await send(app, method, target, { key: null }), 401, MISSING);
    });
  }

  it("comes before the checks of Accept and of the body", async () => {
    const headers = { Accept: "text/html", "Content-Encoding": "gzip" };
    expectError(await post(app, "x", { key: null, headers }), 401, MISSING);
  });

  for (const path of ["/v1x", "/V1/pets", "/%761/pets", "//v1/pets"]) {
    it(`does not apply outside /v1: ${path} is 404 without a key`, async () => {
      expectError(await get(app, path, { key: null }), 404, "route_not_found");
    });
  }
});
