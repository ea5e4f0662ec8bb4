import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { expect } from "chai";
import { parse } from "yaml";
import { ERROR_CODES } from "../../src/adapters/http/answer/error-codes.js";
import { openApiDocument } from "../../src/api-document/api-document.js";
import { type ApiErrorCode, EXAMPLE_MESSAGES } from "../../src/api-document/describe/error-responses.js";
import { API_DOCUMENT } from "../support/described.js";

const BUILT = new URL("../../src/api-document/public/", import.meta.url);
const json = readFileSync(new URL("openapi.json", BUILT), "utf8");

/** The `name`s that occur anywhere in a part of the document. */
function valuesOf(part: unknown, name: string): unknown[] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => [
    ...(key === name ? [value] : []),
    ...valuesOf(value, name),
  ]);
}

describe("OpenAPI document", () => {
  it("passes every recommended rule of Redocly, warnings included", async function () {
    this.timeout(30_000);
    const cli = createRequire(import.meta.url)
      .resolve("@redocly/cli/package.json")
      .replace("package.json", "bin/cli.js");
    const file = new URL("openapi.json", BUILT).pathname;
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    await promisify(execFile)(process.execPath, [cli, "lint", "--extends", "recommended-strict", file], {
      env,
    });
  });

  it("is OpenAPI 3.1 of interface version 1.0.0", () => {
    expect(openApiDocument()).to.deep.include({ openapi: "3.1.1" });
    expect(openApiDocument()).to.have.nested.property("info.version", "1.0.0");
  });

  it("has the same content in YAML", () => {
    const yaml = readFileSync(new URL("openapi.yaml", BUILT), "utf8");
    expect(parse(yaml)).to.deep.equal(JSON.parse(json));
    expect(yaml).to.match(/maximum: 9223372036854775807$/m);
  });

  it("names the operations listPets, createPet, getPet and getStoreOrders", () => {
    expect(
      valuesOf(API_DOCUMENT.paths, "operationId").filter((id) => typeof id === "string"),
    ).to.include.members(["listPets", "createPet", "getPet", "getStoreOrders"]);
  });

  it("writes the bounds of int64 to the digit", () => {
    expect(json).to.contain('"minimum": -9223372036854775808,').and.contain('"maximum": 9223372036854775807');
    expect(json).to.contain('"categoryId": 9007199254740993');
  });

  it("lists every error code of the API with its status, its remedy and an example", () => {
    for (const [code, message] of Object.entries(EXAMPLE_MESSAGES)) {
      const { status, remedy } = ERROR_CODES[code as ApiErrorCode];
      const example = { value: { code, message, status } };
      const places = [
        ...valuesOf(API_DOCUMENT.paths, String(status)),
        ...valuesOf(API_DOCUMENT["x-other-answers"], String(status)),
      ] as { description: string }[];
      expect(valuesOf(places, code), code).to.deep.include(example);
      expect(places.map(({ description }) => description).join("\n")).to.contain(`\`${code}\`: ${remedy}`);
    }
  });

  it("links the list to its next page and a created pet to its address", () => {
    expect(API_DOCUMENT).to.have.nested.property(
      "paths./pets.get.responses.200.links.nextPage.operationId",
      "listPets",
    );
    expect(API_DOCUMENT).to.have.nested.property(
      "paths./pets.post.responses.201.links.createdPet.operationId",
      "getPet",
    );
  });
});
