import { readFileSync } from "node:fs";
import { toJsonSchema } from "@valibot/to-json-schema";
import { expect } from "chai";
import fc from "fast-check";
import { parse } from "yaml";
import { STATUS_OF_CODE } from "../../src/adapters/http/answer/error-codes.js";
import { idempotencyRecord } from "../../src/adapters/http/headers/idempotency-key.js";
import { decodeCursor } from "../../src/adapters/http/paging/cursor.js";
import { ListPetsQuerySchema, NewPetSchema } from "../../src/adapters/http/resources/pets/schemas.js";
import { PAGE_LIMIT } from "../../src/application/paging.js";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.js";
import { DEFAULT_STATUS, NAME_MAX_LENGTH, newPet, PET_STATUSES } from "../../src/domain/pet.js";
import { API_DOCUMENT, API_JSON, at, expectValid } from "../support/described.js";
import { useApp } from "../support/use-app.js";

const YAML = readFileSync("src/api-document/openapi.yaml", "utf8");

const CALLER = { id: "caller", name: "caller" };

/** The shape of a schema that checks requests: its members, and those that are required. */
function shapeOf(schema: typeof NewPetSchema | typeof ListPetsQuerySchema) {
  return toJsonSchema(schema, {
    typeMode: "input",
    // The service reads a number as JsonNumber, so that it stays exact; on the wire it is an integer.
    overrideSchema: ({ valibotSchema }) =>
      valibotSchema.type === "instance" ? { type: "integer" } : undefined,
    ignoreActions: ["transform"],
  });
}

describe("The OpenAPI document", () => {
  const app = useApp();

  it("has at most 30,000 bytes as JSON, with the content of the YAML file", () => {
    expect(Buffer.byteLength(API_JSON)).to.be.at.most(30_000);
    expect(parse(YAML)).to.deep.equal(API_DOCUMENT);
  });

  it("has the routes of the program", () => {
    const described = Object.entries(API_DOCUMENT.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        operationId: (operation as unknown as { operationId: string }).operationId,
        method,
        path: `/v1${path.replace(/\{(\w+)\}/, ":$1")}`,
      })),
    );
    const served = app().routes.map(({ operationId, method, path }) => ({ operationId, method, path }));
    expect(described).to.have.deep.members(served);
  });

  it("has the members and types of a new pet that the service checks", () => {
    const { properties = {}, required } = shapeOf(NewPetSchema);
    const described = at("/components/schemas/NewPet") as { properties: Record<string, { type?: string }> };
    expect(described).to.have.deep.property("required", required);
    expect(Object.keys(described.properties)).to.deep.equal(Object.keys(properties));
    for (const name of ["name", "categoryId"]) {
      expect(described.properties[name]?.type).to.equal((properties[name] as { type: string }).type);
    }
    expect(at("/components/schemas/PetStatus/enum"))
      .to.deep.equal((properties.status as { enum: string[] }).enum)
      .and.to.deep.equal(PET_STATUSES);
    expect(described).to.have.nested.property("properties.status.default", DEFAULT_STATUS);
  });

  it("has the parameters that the service checks, and the bounds of limit", () => {
    const names = (at("/paths/~1pets/get/parameters") as { name: string }[]).map(({ name }) => name);
    expect(names).to.deep.equal(Object.keys(shapeOf(ListPetsQuerySchema).properties ?? {}));
    const { min, max, default: preset } = PAGE_LIMIT;
    const schema = { type: "integer", minimum: min, maximum: max, default: preset };
    expect(at("/paths/~1pets/get/parameters/0/schema")).to.deep.equal(schema);
    expect(at("/paths/~1pets/get/responses/200/content/application~1json/schema/maxItems")).to.equal(max);
  });

  it("has the bounds of int64 to the digit, wherever a category stands", () => {
    for (const schema of ["NewPet", "Pet"]) {
      const { categoryId } = parse(YAML, { intAsBigInt: true }).components.schemas[schema].properties;
      expect(categoryId).to.deep.include({ format: "int64", minimum: INT64_MIN, maximum: INT64_MAX });
    }
    expect(API_JSON).to.contain(`"minimum": ${INT64_MIN},`).and.contain(`"maximum": ${INT64_MAX}`);
    expect(API_JSON).to.contain('"categoryId": 9007199254740993');
  });

  it("accepts a name if the service accepts it", () => {
    expect(at("/components/schemas/NewPet/properties/name/maxLength")).to.equal(NAME_MAX_LENGTH);
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
        expect(pattern.test(key)).to.equal(accepts(() => idempotencyRecord(key, CALLER, Buffer.of())));
      }),
    );
    for (const length of [254, 255, 256]) {
      for (const key of ["a".repeat(length), `"${"a".repeat(length)}"`]) {
        expect(pattern.test(key)).to.equal(accepts(() => idempotencyRecord(key, CALLER, Buffer.of())));
      }
    }
  });

  it("lists every error code with its status and its remedy", () => {
    const listed = at("/components/schemas/Error/properties/code/x-enum") as Record<
      string,
      { status: number; advice: string }
    >;
    expect(Object.keys(listed)).to.have.members(Object.keys(STATUS_OF_CODE));
    for (const [code, status] of Object.entries(STATUS_OF_CODE)) {
      expect(listed[code]?.status, code).to.equal(status);
      expect(listed[code]?.advice, code).to.match(/^[A-Z].*\.$/s);
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

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
