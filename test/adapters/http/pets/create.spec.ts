import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../support/expect-error.js";
import { buildApp, describeApp, FixedKeys } from "../../../support/start-app.js";

const PET = '"name":"Rex","categoryId":1';

describeApp("POST /v1/pets", (app) => {
  it("returns 201 with the created pet, its id and its Location, and ignores a query", async () => {
    const headers = { "Content-Type": "application/json" };
    const body = '{"name":"Rex","categoryId":7,"status":"pending"}';
    const answer = await send(app(), "POST", "/v1/pets?limit=x&limit=0", { headers, body });
    expect(answer.status).to.equal(201);
    expectJson(answer);
    expect(answer.text).to.equal('{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.headers.location).to.equal("/v1/pets/1");
    expect((await get(app(), "/v1/pets/1")).text).to.equal(answer.text);
  });

  // `pet.spec.ts` tests the rules of names, `read-object.spec.ts` those of JSON.
  for (const [body, code, message] of [
    [`{${PET}} ${CANARY}`, "invalid_json", "JSON"],
    [`\ufeff{${PET}}`, "invalid_json", "JSON"],
    ["null", "invalid_json", "object"],
    [Buffer.from(`{"name":"${CANARY}\xff","categoryId":1}`, "latin1"), "invalid_json", "UTF-8"],
    [Buffer.from(`{${PET}}`, "utf16le"), "invalid_json", "valid"],
    [`{${PET},"n\\u0061me":"${CANARY}"}`, "duplicate_field", "name"],
    [`{${PET},"${CANARY} ":1,"${CANARY} ":1}`, "duplicate_field", "A member"],
    [`{"Name":"${CANARY}","categoryId":1}`, "missing_field", "name"],
    [`{"name":"${CANARY}\\u0080","categoryId":1}`, "invalid_field", "control characters"],
    [`{${PET},"status":null}`, "invalid_field", "available, pending, sold"],
    ['{"name":"a","categoryId":5.5}', "invalid_field", "categoryId must be an integer"],
  ] as const) {
    it(`rejects ${JSON.stringify(body.toString()).slice(0, 60)} with ${code}`, async () => {
      const answer = await post(app(), body);
      expectError(answer, 400, code);
      expect(JSON.parse(answer.text).message).to.contain(message);
      expect((await get(app(), "/v1/pets")).text).to.equal("[]");
    });
  }

  for (const body of [
    `{${PET},"x":{"name":"a","categoryId":1},"y":"\\"name\\":1","name ":3}`,
    `{"id":99,${PET},"__proto__":{"name":5,"status":"sold"},"constructor":{"prototype":{"x":1}}}`,
  ]) {
    it(`creates one pet and nothing more from ${body.slice(0, 60)}`, async () => {
      const { text } = await post(app(), body);
      expect(text).to.equal('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
      expect((await get(app(), "/v1/pets")).text).to.equal(`[${text}]`);
    });
  }

  for (const categoryId of [2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 53n), -(2n ** 63n)]) {
    it(`keeps each digit of ${categoryId}`, async () => {
      const { text } = await post(app(), `{"name":"Rex","categoryId":${categoryId}}`);
      expect(text).to.contain(`"categoryId":${categoryId},`);
    });
  }

  for (const [member, name] of Object.entries({ id: "id", [`${CANARY} `]: "A member of the body" })) {
    it(`with Prefer: handling=strict rejects the unknown member "${member}"`, async () => {
      const headers = { Prefer: ["return=minimal", "handling=strict"] };
      const answer = await post(app(), `{${PET},"${member}":1}`, { headers });
      expectError(answer, 400, "unknown_field");
      expect(answer.text).to.contain(`"${name} is unknown`);
      expect((await get(app(), "/v1/pets")).text).to.equal("[]");
    });
  }
});

describeApp("Idempotency-Key", (app) => {
  const create = (idempotencyKey: string | string[], body = `{${PET}}`) =>
    post(app(), body, { headers: { "Idempotency-Key": idempotencyKey } });
  const count = async () => JSON.parse((await get(app(), "/v1/pets")).text).length;

  // `every-resource.spec.ts` tests the other promises of a retry.
  it("counts without its quotes", async () => {
    const { headers, text } = await create("key-1");
    const again = await create('"key-1"');
    expect(again.text).to.equal(text);
    expect(again.headers).to.include({ "idempotency-replayed": "true", location: headers.location });
    expect(await count()).to.equal(1);
  });

  it("stays free if its create is rejected", async () => {
    expectError(await create("key-1", "{}"), 400, "missing_field");
    expect((await create("key-1")).headers).not.to.have.property("idempotency-replayed");
  });

  it("belongs to one API key", async () => {
    const shared = buildApp({ keys: new FixedKeys("ann", "bob") });
    for (const key of ["ann", "bob"]) {
      const { headers } = await post(shared, `{${PET}}`, { headers: { "Idempotency-Key": "key-1" }, key });
      expect(headers).not.to.have.property("idempotency-replayed");
    }
  });

  it("differs from another in any one of its characters", async () => {
    const keys = ["x", "X", 'x"', "x".repeat(255), `${"x".repeat(254)}y`];
    for (const key of keys) expect((await create(key)).status, key).to.equal(201);
    expect(await count()).to.equal(keys.length);
  });

  // `openapi.spec.ts` tests the other forms of a key.
  it("must be sent once", async () => {
    expectError(await create(["key-1", "key-1"]), 400, "invalid_idempotency_key");
    expect(await count()).to.equal(0);
  });
});

describe("Prefer", () => {
  const app = buildApp();
  for (const [header, isStrict] of Object.entries({
    'Handling = "Strict"': true,
    "handling=strict ; x=1": true,
    'foo="a, \\"b", handling=strict': true,
    "handling=strict, handling=lenient": true,
    "handling=lenient, handling=strict": false,
    "handling=strict/x": false,
    xhandling: false,
    "respond-async; handling=strict": false,
    'foo=", handling=strict': false,
    [`"${'\\\\"'.repeat(5000)}`]: false,
  })) {
    it(`asks ${isStrict ? "" : "not "}for strict handling: ${header.slice(0, 40)}`, async () => {
      const { status } = await post(app, `{${PET},"x":1}`, { headers: { Prefer: header } });
      expect(status).to.equal(isStrict ? 400 : 201);
    });
  }
});
