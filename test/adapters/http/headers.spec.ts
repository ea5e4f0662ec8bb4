import { expect } from "chai";
import { get } from "../../support/client.js";
import { CANARY, expectError } from "../../support/expect-error.js";
import { buildApp } from "../../support/start-app.js";

describe("A request", () => {
  const app = buildApp();

  for (const target of ["HTTP://petstore.test:80/v1/pets?limit=1", "https://[::1]:3000/v1/pets"]) {
    it(`may name the whole URL: ${target}`, async () => expect((await get(app, target)).text).to.equal("[]"));
  }

  it("starts its query after the first question mark", async () => {
    expectError(await get(app, "/v1/pets?limit=1?"), 400, "invalid_parameter");
    expectError(await get(app, "http://petstore.test/v1/pets?limit=0"), 400, "invalid_parameter");
  });

  for (const target of [
    ...["x", `/${CANARY} x`, `/#${CANARY}`, "/\xe9", "/\x7f", "/\\\\a@b[#", "foo://bar", "http://["],
    ...["http:///v1/pets", "http://a.test?/v1/pets", "http://[/v1/pets"],
  ]) {
    it(`must name a path: ${JSON.stringify(target)}`, async () => {
      expectError(await get(app, target), 400, "malformed_request");
    });
  }

  for (const id of ["0aZ-_.", "x".repeat(128), "x".repeat(129), "a b", ["a", "b"]]) {
    const isSafe = typeof id === "string" && id.length <= 128 && !id.includes(" ");
    it(`${isSafe ? "may" : "may not"} bring the X-Request-Id ${String(id).slice(0, 20)}`, async () => {
      const { headers } = await get(app, "/v1/pets", { headers: { "X-Request-Id": id } });
      const form = isSafe ? new RegExp(`^${id}$`) : /^[\da-f]{8}(-[\da-f]{4}){3}-/;
      expect(headers["x-request-id"]).to.match(form);
    });
  }

  const withHost = (host: string | string[]) => get(app, "/v1/pets", { headers: { Host: host } });

  for (const host of ["a b", "a/b", "user@a", "a:80:80", "[::1", "a\xe9", "a:x", ["a", "a"]]) {
    it(`must not send the Host ${JSON.stringify(host)}`, async () => {
      expectError(await withHost(host), 400, "malformed_request");
    });
  }

  for (const host of ["petstore.test", "petstore.test:80", "petstore.test:", "[fe80::1]:3000", "a_b"]) {
    it(`may send the Host ${host}`, async () => expect((await withHost(host)).status).to.equal(200));
  }
});
