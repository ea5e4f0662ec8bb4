import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { buildApp } from "../../../support/start-app.js";
import { hold } from "../repositories.js";

const BODY = '{"name":"a","categoryId":1}';

describe("The Accept header", () => {
  const app = buildApp();

  for (const accept of [
    ...["*/*", "application/*", "text/html, application/json;q=0.1", "Application/JSON; charset=utf-8", ""],
    ["text/html", "application/json"],
  ]) {
    it(`allows JSON: ${JSON.stringify(accept)}`, async () => {
      expect((await get(app, "/v1/pets", { headers: { Accept: accept } })).text).to.equal("[]");
    });
  }

  for (const accept of ["application/xml, text/*", "application/json;q=0, */*", ";;;", "a/b;".repeat(3000)]) {
    it(`rules JSON out: ${accept.slice(0, 30)}`, async () => {
      const headers = { Accept: accept };
      expectError(await get(app, "/v1/store/orders", { headers }), 406, "not_acceptable");
      expectError(await post(app, BODY, { headers }), 406, "not_acceptable");
      expect((await get(app, "/v1/pets")).text).to.equal("[]");
      expectError(await get(app, "/v1/nowhere", { headers }), 404, "route_not_found");
    });
  }
});

describe("The limit of operations in flight", () => {
  it("answers 503 at once beyond it, and gives each place back", async () => {
    const held = hold("list");
    const app = buildApp({ storage: held.storage, settings: { maxInFlight: 2 } });
    const list = () => get(app, "/v1/pets");
    const accepted = [list(), list()];
    while (held.calls < 2) await new Promise(setImmediate);
    expectError(await list(), 503, "overloaded");
    expectError(await get(app, "/v1/pets", { key: null }), 401, "missing_credentials");
    expect((await get(app, "/docs")).status).to.equal(200);
    held.open();
    for (const { status } of await Promise.all(accepted)) expect(status).to.equal(200);
    for (let round = 0; round < 3; round++) expect((await get(app, "/v1/pets/9")).status).to.equal(404);
    expect([held.calls, (await list()).status]).to.deep.equal([2, 200]);
  });

  it("holds for every operation and HEAD", async () => {
    const full = buildApp({ settings: { maxInFlight: 0 } });
    for (const path of ["/v1/store/orders", "/v1/pets/1"]) {
      expectError(await get(full, path), 503, "overloaded");
      expect((await send(full, "HEAD", path)).status).to.equal(503);
    }
    expectError(await post(full, BODY), 503, "overloaded");
  });
});
