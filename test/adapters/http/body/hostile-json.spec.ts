import { expect } from "chai";
import { get, post } from "../../../support/client.js";
import { CANARY, expectError } from "../../../support/expect-error.js";
import { describeApp } from "../../../support/use-app.js";

const PET = '"name":"Rex","categoryId":1';
const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Bodies that are refused, by their code. `json-reader.spec.ts` compares the reader with the engine's own parser. */
const REFUSED = {
  invalid_json: [
    " ",
    "null",
    `{${PET}} ${CANARY}`,
    `\ufeff{${PET}}`,
    "[".repeat(16_384),
    '{"a":'.repeat(3_000),
    `"${"\\".repeat(16_000)}`,
    latin1(`{"name":"${CANARY}\xff","categoryId":1}`),
    latin1(`{${PET},"x":"\xc0\xaf"}`),
    Buffer.from(`{${PET}}`, "utf16le"),
  ],
  duplicate_field: [
    `{${PET},"n\\u0061me":"${CANARY}"}`,
    `{${PET},"${CANARY} ":1,"${CANARY} ":1}`,
    `{"name":5,"name":"b","categoryId":1}`,
    `{${PET},"x":${'{"a":'.repeat(1500)}{"b":1,"b":1}${"}".repeat(1500)}}`,
  ],
} as const;

describeApp("Hostile JSON", (app) => {
  let started: NodeJS.CpuUsage;
  beforeEach(() => {
    started = process.cpuUsage();
  });
  afterEach(() => {
    expect(process.cpuUsage(started).user, "microseconds").to.be.below(1_000_000);
  });

  for (const [code, bodies] of Object.entries(REFUSED)) {
    for (const body of bodies) {
      it(`is refused with 400 ${code}: ${JSON.stringify(body.toString().slice(0, 50))}`, async () => {
        expectError(await post(app(), body), 400, code as keyof typeof REFUSED);
        expect((await get(app(), "/v1/pets")).text).to.equal("[]");
      });
    }
  }

  for (const body of [
    `{${PET},"x":{"name":"a","categoryId":1},"y":"\\"name\\":1","name ":3}`,
    `{"id":99,${PET},"__proto__":{"name":5,"status":"sold"},"constructor":{"prototype":{"x":1}},"hasOwnProperty":1}`,
    `{${PET},"x":${"[".repeat(7000)}${"]".repeat(7000)}}`,
    `{${PET},"x":${"9".repeat(16_000)}}`,
    `{${PET},${Array.from({ length: 1200 }, (_, n) => `"k${n}":${n}`).join()}}`,
  ]) {
    it(`that is odd but valid makes the pet and nothing more: ${JSON.stringify(body.slice(0, 50))}`, async () => {
      const { text } = await post(app(), body);
      expect(text).to.equal('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
      expect((await get(app(), "/v1/pets")).text).to.equal(`[${text}]`);
      expect(Object.prototype).not.to.have.any.keys("name", "x");
    });
  }
});

// `json-number.spec.ts` has every form of a number, and `pet.spec.ts` the bounds.
describeApp("A JSON number as categoryId", (app) => {
  for (const number of [
    ...["5.5", "9223372036854775808", "-9223372036854775809", "null", `"${CANARY}"`],
    ...[`1e${"9".repeat(16_000)}`, `1e-${"9".repeat(16_000)}`, `1.${"0".repeat(16_000)}1`],
  ]) {
    it(`is refused with 400 invalid_field: ${number.slice(0, 40)}`, async () => {
      const answer = await post(app(), `{"name":"Rex","categoryId":${number}}`);
      expectError(answer, 400, "invalid_field");
      expect(JSON.parse(answer.text).message).to.match(/^categoryId must be an integer from/);
    });
  }
});
