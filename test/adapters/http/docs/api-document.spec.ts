import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { parse } from "yaml";
import { STATUS_OF_CODE } from "../../../../src/adapters/http/answer/error-codes.js";
import { exactJson } from "../../../../src/adapters/http/docs/exact-json.js";
import { bodyOf, readDocument, type Schema } from "../../../../src/adapters/http/docs/page/document.js";
import { idempotencyRecord } from "../../../../src/adapters/http/headers/idempotency-key.js";
import { decodeCursor } from "../../../../src/adapters/http/paging/cursor.js";
import { PAGE_LIMIT } from "../../../../src/application/paging.js";
import { INT64_MAX, INT64_MIN } from "../../../../src/domain/int64.js";
import { LAST_ID, newPet } from "../../../../src/domain/pet.js";
import { get, post, type Served, send } from "../../../support/client.js";
import { API_DOCUMENT, API_JSON, at, CODES, expectValid } from "../../../support/described.js";
import { useApp } from "../../../support/use-app.js";

const YAML = readFileSync("src/adapters/http/docs/openapi.yaml", "utf8");

const CALLER = { id: "caller", name: "caller", isExpired: false };

/** The document with every integer to the digit, and what references lead to in their place. */
const { operations, schemas } = readDocument(parse(YAML, { intAsBigInt: true }));

/** Values at each end of a schema, and just outside; true if it accepts them. */
function valuesOf(schema: Schema): [value: unknown, accepted: boolean][] {
  const { type, enum: names, minimum, maximum, maxLength } = schema;
  const values: [unknown, boolean][] = type === "integer" ? [["word", false]] : [];
  if (names) for (const name of names) values.push([name, true], [`${name}s`, false]);
  if (minimum !== undefined) values.push([minimum, true], [minimum - 1n, false]);
  if (maximum !== undefined) values.push([maximum, true], [maximum + 1n, false]);
  if (maxLength !== undefined) {
    const longest = "😀".repeat(Number(maxLength));
    values.push([longest, true], [`${longest}x`, false], ["", false]);
  }
  return values;
}

const BODY = '{"name":"Rex","categoryId":7}';

/** The lengths that the text names, and whether the service takes as much, and so much over. */
const LENGTHS: readonly [
  words: RegExp,
  fits: (app: Served, most: number, over: number) => Promise<boolean>,
][] = [
  [
    /at most (\d+) KiB/g,
    async (app, most, over) => (await post(app, BODY.padEnd(most * 1024 + over))).status === 201,
  ],
  [
    /1 to (\d+) visible ASCII/g,
    async (app, most, over) =>
      (await post(app, BODY, { headers: { "Idempotency-Key": "k".repeat(most + over) } })).status === 201,
  ],
  [
    /1 to (\d+) letters/g,
    async (app, most, over) => {
      const { headers } = await get(app, "/v1/pets", {
        headers: { "X-Request-Id": "i".repeat(most + over) },
      });
      return headers["x-request-id"]?.length === most + over;
    },
  ],
];

describe("The OpenAPI document", () => {
  const app = useApp();
  before(async () => {
    await post(app(), BODY);
  });

  it("is served in at most 24,000 bytes of JSON, with the content of the YAML file", async () => {
    const { text } = await get(app(), "/openapi.json");
    expect(Buffer.byteLength(text)).to.be.at.most(24_000);
    expect(parse(YAML)).to.deep.equal(JSON.parse(text));
  });

  it("has the routes of the program", () => {
    const described = operations.map(({ operationId, method, path }) => {
      return { operationId, method: method.toLowerCase(), path: path.replace(/\{(\w+)\}/, ":$1") };
    });
    const served = app().routes.map(({ operationId, method, path }) => ({ operationId, method, path }));
    expect(described).to.have.deep.members(served);
  });

  for (const { operationId, method, path, parameters = [], requestBody } of operations) {
    const query = parameters.filter((parameter) => parameter.in === "query");
    const { type = "", schema = {}, text: example = "{}" } = bodyOf(requestBody) ?? {};
    const { properties = {}, required = [] } = schema;
    const ask = (members: object, search = "", headers = {}) => {
      const body = exactJson({ ...JSON.parse(example), ...members });
      const sent = requestBody && { body, headers: { "Content-Type": type, ...headers } };
      return send(app(), method, `${path.replace(/\{\w+\}/, "1")}${search}`, sent);
    };

    for (const { name, schema } of query) {
      const values = valuesOf(schema);
      if (values.length === 0) continue;
      it(`has the bounds of ${name} of ${operationId}`, async () => {
        for (const [value, accepted] of values)
          expect((await ask({}, `?${name}=${value}`)).status, `${value}`).to.equal(accepted ? 200 : 400);
      });
    }
    for (const [name, schema] of Object.entries(properties)) {
      it(`has the bounds of the member ${name} of ${operationId}, and says if it may be left out`, async () => {
        for (const [value, accepted] of [...valuesOf(schema), [true, false] as const]) {
          const { status, text } = await ask({ [name]: value });
          expect(status < 400, `${value} ${text}`).to.equal(accepted);
          expectSentence(text);
        }
        const without = await ask({ [name]: undefined });
        expect(without.status < 400, without.text).to.equal(!required.includes(name));
        if (schema.default) expect(JSON.parse(without.text)).to.have.property(name, schema.default);
      });
    }
    if (query.length > 0 || requestBody)
      it(`has every parameter and member of ${operationId} that the service knows`, async () => {
        const { text } = await ask({ other: 1 }, query.length > 0 ? "?other=1" : "", {
          Prefer: "handling=strict",
        });
        const names = [...query.map(({ name }) => name), ...Object.keys(properties)];
        expect(JSON.parse(text).message).to.contain(`known are ${names.join(", ")}.`);
      });
  }

  it("has the default of limit, and its most as that of a page", () => {
    expect(at("/paths/~1pets/get/parameters/0/schema/default")).to.equal(PAGE_LIMIT.default);
    const most = at("/paths/~1pets/get/responses/200/content/application~1json/schema/maxItems");
    expect(most).to.equal(PAGE_LIMIT.max);
  });

  it("has the integers of the program to the digit", () => {
    const { categoryId, id } = schemas.find(({ referred }) => referred === "Pet")?.properties ?? {};
    expect(categoryId).to.include({ format: "int64", minimum: INT64_MIN, maximum: INT64_MAX });
    expect(id).to.include({ minimum: 1n, maximum: LAST_ID });
    expect(API_JSON).to.contain(`"minimum":${INT64_MIN},`).and.contain('"categoryId":9007199254740993');
  });

  for (const [words, fits] of LENGTHS) {
    it(`says ${words.source} with the number of the service`, async () => {
      const texts = `${API_JSON}${readFileSync("src/adapters/http/docs/guide.md", "utf8")}`;
      const numbers = new Set([...texts.matchAll(words)].map(([, number]) => Number(number)));
      expect(numbers.size).to.equal(1);
      for (const most of numbers) {
        expect([await fits(app(), most, 0), await fits(app(), most, 1)]).to.deep.equal([true, false]);
      }
    });
  }

  it("accepts a name if the service accepts it", () => {
    const pattern = new RegExp(at("/components/schemas/NewPet/properties/name/pattern") as string, "u");
    for (let unit = 0; unit <= 0xffff; unit++) {
      for (const name of [String.fromCharCode(unit), `a${String.fromCharCode(unit)}`]) {
        if (!name.isWellFormed()) continue;
        const accepted = accepts(() => newPet({ name, categoryId: 1n }));
        if (pattern.test(name) !== accepted)
          expect.fail(`${JSON.stringify(name)}: the service says ${accepted}`);
      }
    }
  });

  it("accepts an Idempotency-Key if the service accepts it", () => {
    const pattern = new RegExp(at("/paths/~1pets/post/parameters/0/schema/pattern") as string);
    const character = fc.constantFrom('"', "a", " ", "~", "\\", "é");
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 5 }), (key) => {
        expect(pattern.test(key)).to.equal(accepts(() => idempotencyRecord(key, CALLER, "")));
      }),
    );
    for (const length of [254, 255, 256]) {
      for (const key of ["a".repeat(length), `"${"a".repeat(length)}"`]) {
        expect(pattern.test(key)).to.equal(accepts(() => idempotencyRecord(key, CALLER, "")));
      }
    }
  });

  it("lists every error code with its status and its remedy", () => {
    expect(Object.keys(CODES)).to.have.members(Object.keys(STATUS_OF_CODE));
    for (const [code, status] of Object.entries(STATUS_OF_CODE)) {
      expect(CODES[code]?.status, code).to.equal(status);
      expect(CODES[code]?.advice, code).to.match(/^[A-Z].*\.$/s);
    }
  });

  it("lets a new code break no client", () => {
    expect(at("/components/schemas/Error/properties/code"))
      .to.include({ type: "string" })
      .and.not.have.any.keys("enum");
  });

  it("has the dates of the deprecation, and a cursor that the service made", () => {
    const example = (name: string) => at(`/components/headers/${name}/example`) as string;
    const deprecated = app().routes.find(({ operationId }) => operationId === "getPet")?.deprecated;
    expect(example("Deprecation")).to.equal(deprecated?.Deprecation);
    expect(example("Sunset")).to.equal(deprecated?.Sunset);
    expect(at("/paths/~1pets~1{petId}/get/x-deprecated-sunset")).to.equal(
      new Date(deprecated?.Sunset ?? "").toJSON().slice(0, 10),
    );
    expect(decodeCursor(/cursor=([\w-]+)/.exec(example("NextPage"))?.[1] ?? "", 0)).to.equal(43n);
  });

  it("has examples that keep its schemas", () => {
    let count = 0;
    (function check(part: unknown, pointer: string): void {
      if (typeof part !== "object" || part === null) return;
      if ("schema" in part && "example" in part) {
        expectValid(`${pointer}/schema`, part.example, pointer);
        count++;
      }
      for (const [name, member] of Object.entries(part))
        check(member, `${pointer}/${name.replaceAll("/", "~1")}`);
    })(API_DOCUMENT, "");
    expect(count).to.be.at.least(15);
  });
});

/** An error says in a sentence which member breaks which rule. */
function expectSentence(text: string): void {
  const { message } = JSON.parse(text) as { message?: string };
  if (message) expect(message).to.match(/^\w+ (?:must|is) .+\.$/);
}

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
