import { expect } from "chai";
import type { Answer } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { exchange, head } from "../../../support/raw-http.js";
import { useApp } from "../../../support/use-app.js";

describe("A path", () => {
  const app = useApp();
  // Sent as it is: a client library might tidy it up.
  const at = (target: string): Promise<Answer> => exchange(app().port, head(`GET ${target} HTTP/1.1`));

  for (const path of [
    "/",
    "/nowhere",
    "/v1",
    "/v1//pets",
    "//v1/pets",
    "/v1/Pets",
    "/v1/pets/1/2",
    "/v1/x/../pets",
    "/v1/%70ets",
    "/v1/pets%3Flimit=1",
    "/v1\\pets",
    "/v1/store",
    "/%",
    "/?/v1/pets",
    `/v1/${"a".repeat(8000)}`,
    `/v1/pets${"/".repeat(8000)}/x`,
    "http://petstore.test",
    "http://petstore.test?/v1/pets",
  ]) {
    it(`that no operation has is 404 route_not_found, and the message names /docs: ${path.slice(0, 30)}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("/docs");
    });
  }

  for (const path of ["/v1/pets/", "/v1/pets/1/", "/v1/store/orders/"]) {
    it(`with a slash at the end is 404 with a hint: ${path}`, async () => {
      const answer = await at(path);
      expectError(answer, 404, "route_not_found");
      expect(answer.text).to.contain("without a slash");
    });
  }

  for (const target of [
    "http://petstore.test/v1/pets",
    "HTTP://petstore.test:80/v1/pets?limit=1",
    "https://elsewhere.test/v1/pets",
    "http://[::1]:3000/v1/pets",
  ]) {
    it(`is taken from a target in absolute form: ${target}`, async () => {
      const { status, text } = await at(target);
      expect([status, text]).to.deep.equal([200, "[]"]);
    });
  }

  it("and query are told apart at the first question mark", async () => {
    expectError(await at("/v1/pets?limit=1?"), 400, "invalid_parameter");
    expectError(await at("http://petstore.test/v1/pets?limit=0"), 400, "invalid_parameter");
  });
});
