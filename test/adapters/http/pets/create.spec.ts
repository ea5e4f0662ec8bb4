import { expect } from "chai";
import { get, post, send } from "../../../support/client.js";
import { CANARY, expectError, expectJson } from "../../../support/expect-error.js";
import { describeApp } from "../../../support/start-app.js";

const PET = '"name":"Rex","categoryId":1';
const INTEGER = "categoryId must be an integer";

describeApp("POST /v1/pets", (app) => {
  it("answers 201 with the created pet, its id and its Location", async () => {
    const answer = await post(app(), '{"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.status).to.equal(201);
    expectJson(answer);
    expect(answer.text).to.equal('{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answer.headers.location).to.equal("/v1/pets/1");
    expect((await get(app(), "/v1/pets/1")).text).to.equal(answer.text);
  });

  it("ignores a query", async () => {
    const headers = { "Content-Type": "application/json" };
    const answer = await send(app(), "POST", "/v1/pets?limit=x&limit=0", { headers, body: `{${PET}}` });
    expect(answer.status).to.equal(201);
  });

  // `pet.spec.ts` has the rules of names, `read-object.spec.ts` and `json-number.spec.ts` those of JSON.
  for (const [body, code, message] of [
    [" ", "invalid_json", "JSON"],
    [`{${PET}} ${CANARY}`, "invalid_json", "JSON"],
    [`\ufeff{${PET}}`, "invalid_json", "JSON"],
    ["null", "invalid_json", "object"],
    [Buffer.from(`{"name":"${CANARY}\xff","categoryId":1}`, "latin1"), "invalid_json", "UTF-8"],
    [Buffer.from(`{${PET},"x":"\xc0\xaf"}`, "latin1"), "invalid_json", "UTF-8"],
    [Buffer.from(`{${PET}}`, "utf16le"), "invalid_json", "valid"],
    [`{${PET},"n\\u0061me":"${CANARY}"}`, "duplicate_field", "name"],
    [`{${PET},"${CANARY} ":1,"${CANARY} ":1}`, "duplicate_field", "A member"],
    [`{"name":"${CANARY}"}`, "missing_field", "categoryId"],
    [`{"Name":"${CANARY}","categoryId":1}`, "missing_field", "name"],
    [`{"name":"${CANARY}\\u0080","categoryId":1}`, "invalid_field", "control characters"],
    [`{"name":["${CANARY}"],"categoryId":1}`, "invalid_field", "string"],
    [`{${PET},"status":null}`, "invalid_field", "available, pending, sold"],
    ['{"name":"a","categoryId":5.5}', "invalid_field", INTEGER],
    ['{"name":"a","categoryId":"5"}', "invalid_field", INTEGER],
    ['{"name":"a","categoryId":null}', "invalid_field", INTEGER],
    ['{"name":"a","categoryId":9223372036854775808}', "invalid_field", INTEGER],
    ['{"name":"a","categoryId":-9223372036854775809}', "invalid_field", INTEGER],
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
    `{"id":99,${PET},"__proto__":{"name":5,"status":"sold"},"constructor":{"prototype":{"x":1}},"hasOwnProperty":1}`,
    `{${PET},${Array.from({ length: 1200 }, (_, n) => `"k${n}":${n}`).join()}}`,
    '{"name":"Rex","categoryId":1.0e0}',
  ]) {
    it(`makes one pet and nothing more of ${body.slice(0, 60)}`, async () => {
      const { text } = await post(app(), body);
      expect(text).to.equal('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
      expect((await get(app(), "/v1/pets")).text).to.equal(`[${text}]`);
      expect(Object.prototype).not.to.have.any.keys("name", "x");
    });
  }

  for (const [member, name] of Object.entries({ id: "id", [`${CANARY} `]: "A member of the body" })) {
    it(`with Prefer: handling=strict rejects the unknown member "${member}"`, async () => {
      const headers = { Prefer: ["return=minimal", "handling=strict"] };
      const answer = await post(app(), `{${PET},"${member}":1}`, { headers });
      expectError(answer, 400, "unknown_field");
      expect(answer.text).to.contain(`"${name} is unknown; the known ones are name, categoryId, status."`);
      expect((await get(app(), "/v1/pets")).text).to.equal("[]");
    });
  }
});
