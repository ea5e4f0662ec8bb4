import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { expectError, FIXED_HEADERS } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";

/** The methods of each path, as Allow lists them. */
const ALLOW = {
  "/v1/pets": allowOf("/pets"),
  "/v1/pets/x": allowOf("/pets/{petId}"),
  "/v1/store/orders": allowOf("/store/orders"),
  "/docs": "GET, HEAD, OPTIONS",
};

describe("A path", () => {
  const app = buildApp();
  before(() => post(app, '{"name":"Rex","categoryId":1}'));

  const unknown = ["/", "/v1", "/v1//pets", "/v1/Pets", "/v1/pets/1/2", "/v1/%70ets", "/%", "*"];
  for (const path of [...unknown, "/v1/pets/", "/v1/pets/1/"]) {
    it(`is 404 with a hint if nothing is there: ${path}`, async () => {
      const answer = await get(app, path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain(/.\/$/.test(path) ? "trailing slash" : "/docs");
    });
  }

  for (const [path, allow] of Object.entries({ ...ALLOW, "*": allowOf() })) {
    it(`answers OPTIONS ${path} with 204 and Allow`, async () => {
      const { status, headers, text } = await send(app, "OPTIONS", path);
      expect([status, text, headers.allow]).to.deep.equal([204, "", allow]);
      expect(headers).to.include(FIXED_HEADERS);
      expect(headers).not.to.have.any.keys("content-type", "content-length", "transfer-encoding");
    });
  }

  for (const [path, allow] of Object.entries(ALLOW)) {
    it(`answers other methods with 405 and Allow: ${path}`, async () => {
      for (const method of ["PUT", "PROPFIND"]) {
        const answer = await send(app, method, `${path}?x=1`);
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.allow).to.equal(allow);
      }
    });
  }

  for (const path of ["/v1/pets?limit=1", "/v1/pets?limit=0", "/v1/pets/1", "/nowhere"]) {
    it(`answers HEAD as GET, without a body: ${path}`, async () => {
      const got = await get(app, path);
      const headed = await send(app, "HEAD", path);
      expect([headed.status, headed.text]).to.deep.equal([got.status, ""]);
      const own = { date: "", "x-request-id": "" };
      expect({ ...headed.headers, ...own }).to.deep.equal({ ...got.headers, ...own });
    });
  }
});
