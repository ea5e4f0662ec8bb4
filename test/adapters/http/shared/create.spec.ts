import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { buildApp, describeApp, FixedKeys } from "../../../support/start-app.js";

const BODY = '{"name":"Rex","categoryId":1}';

describeApp("Idempotency-Key", (app) => {
  const create = (idempotencyKey: string | string[], body = BODY) =>
    post(app(), body, { headers: { "Idempotency-Key": idempotencyKey } });
  const count = async () => JSON.parse((await get(app(), "/v1/pets")).text).length;

  it("repeats the answer to the same body, bare or in quotes", async () => {
    const first = await create("key-1");
    expect(first.headers).not.to.have.property("idempotency-replayed");
    for (const key of ["key-1", '"key-1"']) {
      const again = await create(key);
      expect([again.status, again.text]).to.deep.equal([201, first.text]);
      expect(again.headers).to.include({ "idempotency-replayed": "true", location: first.headers.location });
    }
    expect(await count()).to.equal(1);
  });

  it("is reused with another body, even if only a space differs", async () => {
    await create("key-1");
    expectError(await create("key-1", BODY.replace(",", ", ")), 400, "idempotency_key_reused");
    expect(await count()).to.equal(1);
  });

  it("stays free if its create is refused", async () => {
    expectError(await create("key-1", "{}"), 400, "missing_field");
    expect((await create("key-1")).headers).not.to.have.property("idempotency-replayed");
  });

  it("belongs to one API key", async () => {
    const shared = buildApp({ keys: new FixedKeys("ann", "bob") });
    for (const key of ["ann", "bob"]) {
      const { headers } = await post(shared, BODY, { headers: { "Idempotency-Key": "key-1" }, key });
      expect(headers).not.to.have.property("idempotency-replayed");
    }
  });

  it("has 1 to 255 visible ASCII characters, each of which counts", async () => {
    const visible = Array.from({ length: 93 }, (_, n) => String.fromCharCode(34 + n)).join("");
    const keys = ["x", "X", 'x"', "x".repeat(255), `"${"y".repeat(255)}"`, `!${visible}`];
    for (const key of keys) expect((await create(key)).status, key).to.equal(201);
    expect(await count()).to.equal(keys.length);
  });

  for (const key of ["", '""', `"${CANARY}`, `a ${CANARY}`, "x".repeat(256), ["key-1", "key-1"]]) {
    it(`must not be ${JSON.stringify(key).slice(0, 30)}`, async () => {
      expectError(await create(key), 400, "invalid_idempotency_key");
      expect(await count()).to.equal(0);
    });
  }
});

describe("Prefer", () => {
  const app = buildApp();
  for (const [header, isStrict] of Object.entries({
    "handling=strict": true,
    'Handling = "Strict"': true,
    "handling=strict ; x=1": true,
    "return=minimal, handling=strict": true,
    'foo="a, \\"b", handling=strict': true,
    "handling=strict, handling=lenient": true,
    "handling=lenient, handling=strict": false,
    "handling=strict/x": false,
    handling: false,
    xhandling: false,
    "respond-async; handling=strict": false,
    'foo="handling=strict"': false,
    'foo=", handling=strict': false,
    [`"${'\\\\"'.repeat(5000)}`]: false,
  })) {
    it(`asks ${isStrict ? "" : "not "}for strict handling: ${header.slice(0, 40)}`, async () => {
      const { status } = await post(app, '{"name":"Rex","categoryId":1,"x":1}', {
        headers: { Prefer: header },
      });
      expect(status).to.equal(isStrict ? 400 : 201);
    });
  }
});
