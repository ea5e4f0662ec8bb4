import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { indentJson } from "../../../../src/adapters/http/docs/browser/json.js";
import { CODES } from "../../../support/described.js";

const PUBLIC = new URL("../../../../src/adapters/http/docs/public/", import.meta.url);
const PAGE = readFileSync(new URL("page.html", PUBLIC), "utf8");
const all = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map(([, found = ""]) => found);

describe("The documentation page", () => {
  it("has every id once, and a target for every link within it", () => {
    const ids = all(/ id="([^"]+)"/g);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members(all(/ href="#([^"]+)"/g));
    expect(ids).to.include.members(all(/ for="([^"]+)"/g));
  });

  it("has an anchor for each operation, schema and error code, and for the guide", () => {
    expect(all(/<h[23][^>]*><a href="#([^"]+)"/g)).to.deep.equal([
      ...["listPets", "createPet", "getPet", "getStoreOrders", "errors", "schemas"],
      ...["schema-PetStatus", "schema-NewPet", "schema-Pet", "schema-Error", "guide"],
    ]);
    const codes = Object.keys(CODES).map((code) => `error-${code}`);
    expect(all(/<div id="(error-[^"]+)"/g)).to.have.members(codes);
  });

  it("indents JSON as JSON.stringify does, but keeps every digit and every character of a string", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(JSON.parse(indentJson(json))).to.deep.equal(JSON.parse(json));
      }),
    );
    const value = { a: [1, { "b:{}": [] }, 'x,\\"['], c: {}, d: null };
    expect(indentJson(JSON.stringify(value))).to.equal(JSON.stringify(value, null, 2));
    expect(indentJson('[ 9007199254740993,-1.50e+400,"\\u00e9" ]')).to.equal(
      '[\n  9007199254740993,\n  -1.50e+400,\n  "\\u00e9"\n]',
    );
    expect(indentJson("]}")).to.equal("\n]\n}");
  });
});
