import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { expectError } from "../../../support/expect-error.js";
import { hold } from "../../../support/repositories.js";
import { FixedKeys } from "../../../support/start-app.js";
import { useApp } from "../../../support/use-app.js";

describe("limitLoad", () => {
  const app = useApp({ limits: { inFlight: 1 } });

  it("gives a place to the next request after each answer", async () => {
    for (const status of [200, 404, 200]) {
      expect((await get(app(), status === 404 ? "/v1/pets/9" : "/v1/pets")).status).to.equal(status);
    }
  });

  const held = hold("list");
  const holding = useApp({ repository: held.repository, limits: { inFlight: 2 } });

  it("answers 503 at once past the limit, keeps the connection, and answers what it has taken on", async () => {
    const list = () => get(holding(), "/v1/pets");
    const accepted = [list(), list()];
    while (held.asked < 2) await new Promise(setImmediate);
    const refused = await list();
    expectError(refused, 503, "overloaded");
    expect(refused.headers.connection).not.to.equal("close");
    expectError(await get(holding(), "/v1/pets", { key: null }), 401, "missing_credentials");
    held.open();
    for (const { status } of await Promise.all(accepted)) expect(status).to.equal(200);
    expect(held.asked).to.equal(2);
    for (let round = 0; round < 5; round++) expect((await list()).status).to.equal(200);
  });

  const shared = hold("list");
  const keyVerifier = new FixedKeys("a", "b");
  const crowded = useApp({ repository: shared.repository, keyVerifier, limits: { inFlight: 20 } });

  it("gives one key at most nine tenths of the places", async () => {
    const list = (key: string) => get(crowded(), "/v1/pets", { key });
    const ofOne = Array.from({ length: 18 }, () => list("a"));
    while (shared.asked < 18) await new Promise(setImmediate);
    expectError(await list("a"), 503, "overloaded");
    const ofAnother = [list("b"), list("b")];
    while (shared.asked < 20) await new Promise(setImmediate);
    expectError(await list("b"), 503, "overloaded");
    shared.open();
    for (const { status } of await Promise.all([...ofOne, ...ofAnother])) expect(status).to.equal(200);
    expect((await list("a")).status).to.equal(200);
  });

  const full = useApp({ limits: { inFlight: 0 } });

  it("answers as the API document says, HEAD and a deprecated operation, too", async () => {
    for (const answer of [await post(full(), "{}"), await get(full(), "/v1/store/orders")]) {
      expectError(answer, 503, "overloaded");
    }
    expect((await send(full(), "HEAD", "/v1/pets")).status).to.equal(503);
    const deprecated = await get(full(), "/v1/pets/1");
    expectError(deprecated, 503, "overloaded");
    expect(deprecated.headers).to.include.keys("deprecation", "sunset", "link");
  });
});
