import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { exactJson, readApi, type Schema } from "../../../../scripts/page/api.js";
import { STATUS_OF_CODE } from "../../../../src/adapters/http/http-error.js";
import { PAGE_LIMIT } from "../../../../src/application/list-pets.js";
import { get, post, send } from "../../../support/client.js";
import { allowOf } from "../../../support/described.js";
import { buildApp } from "../../../support/start-app.js";

const YAML = readFileSync("src/adapters/http/docs/openapi.yaml", "utf8");
const DOCUMENT = parse(YAML, { intAsBigInt: true });
const { operations, schemas } = readApi(DOCUMENT);
const BODY = '{"name":"Rex","categoryId":7}';

/** Returns values at the bounds of a schema and just outside; true marks those that it allows. */
function valuesOf({ type, enum: names, minimum, maximum, maxLength }: Schema): [unknown, boolean][] {
  const values: [unknown, boolean][] = type === "integer" ? [["word", false]] : [];
  for (const name of names ?? []) values.push([name, true], [`${name}s`, false]);
  if (minimum !== undefined) values.push([minimum, true], [minimum - 1n, false]);
  if (maximum !== undefined) values.push([maximum, true], [maximum + 1n, false]);
  if (maxLength !== undefined) {
    const longest = "😀".repeat(Number(maxLength));
    values.push([longest, true], [`${longest}x`, false], ["", false]);
  }
  return values;
}

describe("The OpenAPI document", () => {
  const app = buildApp();
  before(() => post(app, BODY));

  it("is served as JSON that says the same as the YAML file, to the digit", async () => {
    const { text } = await get(app, "/openapi.json");
    expect(text).to.equal(`${exactJson(DOCUMENT)}\n`);
    expect(JSON.parse(text)).to.deep.equal(parse(YAML));
    expect(text)
      .to.contain(`"minimum":${-(2n ** 63n)},`)
      .and.contain('"categoryId":9007199254740993');
  });

  for (const operation of operations) {
    const { operationId, method, path, parameters = [], requestBody } = operation;
    const query = parameters.filter((parameter) => parameter.in === "query");
    const { schema, example } = requestBody?.content?.["application/json"] ?? {};
    const { properties = {}, required = [] } = schema ?? {};
    const call = (members: object, search = "", headers = {}) => {
      const present = Object.entries({ ...Object(example), ...members }).filter(
        ([, value]) => value !== undefined,
      );
      const body = exactJson(Object.fromEntries(present));
      const request = { headers: { "Content-Type": "application/json", ...headers }, body };
      return send(app, method, path.replace(/\{\w+\}/, "1") + search, requestBody && request);
    };

    it(`describes the path, the method and the bounds of ${operationId}`, async () => {
      const { headers } = await send(app, "OPTIONS", path);
      expect(headers.allow).to.equal(allowOf(path.replace("/v1", "")));
      expect(`${(await call({})).status}`).to.equal(Object.keys(operation.responses)[0]);
      for (const { name, schema } of query)
        for (const [value, allowed] of valuesOf(schema))
          expect((await call({}, `?${name}=${value}`)).status, `${name}=${value}`).to.equal(
            allowed ? 200 : 400,
          );
      for (const [name, schema] of Object.entries(properties)) {
        for (const [value, allowed] of [...valuesOf(schema), [true, false] as const])
          expect((await call({ [name]: value })).status, `${name}: ${value}`).to.equal(allowed ? 201 : 400);
        const { status, text } = await call({ [name]: undefined });
        expect(status, `without ${name}`).to.equal(required.includes(name) ? 400 : 201);
        if (schema.default) expect(JSON.parse(text)).to.include({ [name]: schema.default });
      }
    });

    if (query.length > 0 || requestBody)
      it(`describes the parameters and members of ${operationId}, and no others`, async () => {
        const { text } = await call({ x: 1 }, query.length > 0 ? "?x=1" : "", { Prefer: "handling=strict" });
        const [, known = ""] = /the known ones are (.*)\.$/.exec(JSON.parse(text).message) ?? [];
        const names = [...query.map(({ name }) => name), ...Object.keys(properties)];
        expect(known.split(", ")).to.have.members(names);
      });

    it(`describes the members of a response of ${operationId}, and no others`, async () => {
      const [success] = Object.values(operation.responses);
      const schema = success?.content?.["application/json"]?.schema;
      const [item = {}] = [JSON.parse((await call({})).text)].flat();
      const documented = Object.keys((schema?.items ?? schema)?.properties ?? {});
      expect(Object.keys(item)).to.have.members(documented);
    });
  }

  it("states the default and the maximum of limit", () => {
    const [limit] = operations[0]?.parameters ?? [];
    const { default: initial, maximum } = limit?.schema ?? {};
    expect([initial, maximum].map(Number)).to.deep.equal([PAGE_LIMIT.default, PAGE_LIMIT.max]);
  });

  it("allows an Idempotency-Key exactly if the service does, in a pattern for every language", async () => {
    const create = operations.find(({ operationId }) => operationId === "createPet");
    const key = create?.parameters?.find(({ name }) => name === "Idempotency-Key");
    const { pattern: source = "" } = (key?.schema ?? {}) as { readonly pattern?: string };
    const pattern = new RegExp(source);
    const long = (length: number) => "k".repeat(length);
    const keys = ["~", "a b", "\\", '"', '""', 'a"', '"a', '"a"', '"""', '"a"b"', "é"];
    for (const key of [...keys, ...[255, 256].flatMap((length) => [long(length), `"${long(length)}"`])]) {
      const { status } = await post(app, BODY, { headers: { "Idempotency-Key": key } });
      expect(status, key).to.equal(pattern.test(key) ? 201 : 400);
    }
    // PHP and Go do not support \u, nor \p in the form of JavaScript.
    for (const [, written = ""] of YAML.matchAll(/ pattern: (.*)/g)) expect(written).not.to.match(/\\[up]/);
  });

  it("lists every error code with its status and advice, and lets new codes break no client", () => {
    const { "x-enum": codes = {}, ...code } = schemas.Error?.properties?.code ?? {};
    const statuses = Object.entries(codes).map(([name, { status }]) => [name, Number(status)]);
    expect(Object.fromEntries(statuses)).to.deep.equal(STATUS_OF_CODE);
    for (const { advice } of Object.values(codes)) expect(advice).to.match(/^[A-Z].*\.$/);
    expect(code).to.include({ type: "string" }).and.not.have.property("enum");
  });

  it("states the dates of the deprecation, and shows a cursor that the service accepts", async () => {
    const { headers } = await get(app, "/v1/pets/1");
    const example = (name: string): string => DOCUMENT.components.headers[name].example;
    const announced = [headers.deprecation, headers.sunset, headers.link];
    expect(announced).to.deep.equal(["Deprecation", "Sunset", "Successor"].map(example));
    const day = new Date(example("Sunset")).toJSON().slice(0, 10);
    expect(operations.map((operation) => operation["x-deprecated-sunset"])).to.include(day);
    const [, next = ""] = /<(.*)>/.exec(example("NextPage")) ?? [];
    expect((await get(app, next)).status).to.equal(200);
  });
});
