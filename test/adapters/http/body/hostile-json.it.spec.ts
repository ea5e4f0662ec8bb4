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
    `[{${PET}}]`,
    `{${PET}`,
    `{${PET}} ${CANARY}`,
    `{"name":"${CANARY}","categoryId":1 /* ${CANARY} */}`,
    `\ufeff{${PET}}`,
    "[".repeat(16_384),
    '{"a":'.repeat(3_000),
    `"${"\\".repeat(16_000)}`,
    `{"${"\\u0061".repeat(2_700)}`,
    latin1(`{"name":"${CANARY}\xff","categoryId":1}`),
    latin1(`{"name":"${CANARY}\xc0\xaf","categoryId":1}`),
    latin1(`{${PET},"x":"\xff"}`),
    Buffer.from(`{${PET}}`, "utf16le"),
  ],
  duplicate_field: [
    `{${PET},"name":"${CANARY}"}`,
    `{${PET},"n\\u0061me":"${CANARY}"}`,
    `{${PET},"${CANARY} ":1,"${CANARY} ":1}`,
    `{${PET},"__proto__":1,"__proto__":2}`,
    `{${PET},"\\ud800":1,"\\uD800":2}`,
    `{"name":"a","name":"b"}`,
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
    `{${PET},"x":{"name":"a","categoryId":1},"y":{"name":"a"}}`,
    `{${PET},"Name":1,"NAME":2,"name ":3}`,
    `{${PET},"x":"name","y":"\\"name\\":1,\\"name\\":2"}`,
    `{${PET},"__proto__":{"name":5},"constructor":{"prototype":{"x":1}},"toString":null,"hasOwnProperty":1}`,
    `{${PET},"x":${"[".repeat(7000)}${"]".repeat(7000)}}`,
    `{${PET},"x":${'{"a":'.repeat(2500)}1${"}".repeat(2500)}}`,
    `{${PET},"x":${"9".repeat(16_000)}}`,
    `{${PET},"x":1e99999999999,"y":-1e-99999999999}`,
    `{${PET},${Array.from({ length: 1200 }, (_, n) => `"k${n}":${n}`).join()}}`,
    `\r\n\t {\r\n\t ${PET.replaceAll(/[:,]/g, " $& ")}\r\n\t }\r\n\t `,
  ]) {
    it(`that is odd but valid makes the pet and nothing more: ${JSON.stringify(body.slice(0, 50))}`, async () => {
      const { status, text } = await post(app(), body);
      expect([status, text]).to.deep.equal([
        201,
        '{"id":1,"name":"Rex","categoryId":1,"status":"available"}',
      ]);
      expect((await get(app(), "/v1/pets")).text).to.equal(`[${text}]`);
      expect(Object.prototype).not.to.have.any.keys("name", "x");
    });
  }
});

describeApp("A JSON number as categoryId", (app) => {
  for (const [number, value] of [
    ["5.0", "5"],
    ["5e0", "5"],
    ["-0", "0"],
    ["0e99999999999", "0"],
    [`1${"0".repeat(15_000)}e-15000`, "1"],
    [`0.${"0".repeat(14_999)}1e15000`, "1"],
    ["9007199254740993", "9007199254740993"],
    ["9223372036854775807", "9223372036854775807"],
    ["9.223372036854775807e18", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
  ] as const) {
    it(`is exact: ${number.slice(0, 40)} is ${value}`, async () => {
      const { text } = await post(app(), `{"name":"Rex","categoryId":${number}}`);
      expect(text).to.equal(`{"id":1,"name":"Rex","categoryId":${value},"status":"available"}`);
      expect((await get(app(), "/v1/pets/1")).text).to.equal(text);
    });
  }

  for (const number of [
    "5.5",
    "-1e-99999999999",
    "9223372036854775808",
    "-9223372036854775809",
    `1e${"9".repeat(16_000)}`,
    `1e-${"9".repeat(16_000)}`,
    "9".repeat(16_000),
    `1.${"0".repeat(16_000)}1`,
    '"5"',
    "null",
    `{"text":"${CANARY}"}`,
    `"${CANARY}"`,
  ]) {
    it(`is refused with 400 invalid_field: ${number.slice(0, 40)}`, async () => {
      const started = process.cpuUsage();
      const answer = await post(app(), `{"name":"Rex","categoryId":${number}}`);
      expectError(answer, 400, "invalid_field");
      expect(JSON.parse(answer.text).message).to.match(/^categoryId must be an integer from/);
      expect((await get(app(), "/v1/pets")).text).to.equal("[]");
      expect(process.cpuUsage(started).user, "microseconds").to.be.below(1_000_000);
    });
  }
});
