import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { readApi } from "../../../../scripts/page/api.js";
import { pageHtml } from "../../../../scripts/page/page.js";
import { curlCommand } from "../../../../src/adapters/http/docs/browser/curl.js";
import { indentJson } from "../../../../src/adapters/http/docs/browser/json.js";
import { CODES } from "../../../support/described.js";

const PUBLIC = new URL("../../../../src/adapters/http/docs/public/", import.meta.url);
const PAGE = readFileSync(new URL("page.html", PUBLIC), "utf8");
const all = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map(([, found = ""]) => found);

describe("The documentation page", () => {
  it("contains every id once, and a target for every link within it", () => {
    const ids = all(/ id="([^"]+)"/g);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids).to.include.members(all(/ href="#([^"]+)"/g));
    expect(ids).to.include.members(all(/ for="([^"]+)"/g));
  });

  it("addresses its files relative to /docs, since a proxy may strip a path prefix", () => {
    const files = ["data:,", "docs/page.css", "docs/page.js", "openapi.json", "openapi.yaml"];
    expect(all(/ (?:href|src)="(?!#)([^"]+)"/g)).to.have.members(files);
  });

  it("contains an anchor for each operation, schema and error code, and for the guide", () => {
    expect(all(/<h[23][^>]*><a href="#([^"]+)"/g)).to.deep.equal([
      ...["listPets", "createPet", "getPet", "getStoreOrders", "errors", "schemas"],
      ...["schema-PetStatus", "schema-NewPet", "schema-Pet", "schema-Error", "guide"],
    ]);
    const codes = Object.keys(CODES).map((code) => `error-${code}`);
    expect(all(/<div id="(error-[^"]+)"/g)).to.have.members(codes);
  });

  it("shows parameters, headers and responses that the document refers to", () => {
    const schema = { type: "integer", maximum: 9n, minimum: 1n };
    const page = pageHtml(
      readApi({
        info: { title: "Title", summary: "A <b>summary</b> & more" },
        servers: [{ url: "/v1" }],
        paths: {
          "/owners/{ownerId}": {
            get: {
              operationId: "getOwner",
              summary: "Get an owner",
              description: "Returns an owner.",
              parameters: [{ $ref: "#/components/parameters/OwnerId" }],
              responses: { 200: { $ref: "#/components/responses/Owner" } },
            },
          },
        },
        components: {
          schemas: {},
          parameters: { OwnerId: { name: "ownerId", in: "path", required: true, schema } },
          responses: {
            Owner: { description: "The owner.", headers: { Link: { $ref: "#/components/headers/Next" } } },
          },
          headers: { Next: { description: "The next page.", schema: { type: "string" } } },
        },
      }),
      "",
    );
    const text = page.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
    expect(text).to.contain("ownerId required path · integer · 1 to 9");
    expect(text).to.contain("200 The owner.").and.contain("Link string The next page.");
    expect(page)
      .to.contain("A &#60;b&#62;summary&#60;/b&#62; &#38; more")
      .and.contain(' data-in="path" required ');
  });

  it("quotes a request for the shell, whatever its parts contain", () => {
    const url = "http://127.0.0.1/v1/pets?limit=1&status=sold";
    const create = { method: "POST", url, headers: { "Idempotency-Key": "it's $1" }, body: "@{}" };
    expect(curlCommand(create).split(" \\\n  ")).to.deep.equal([
      `curl '${url}'`,
      '-i -H "Authorization: Bearer $API_KEY"',
      "-H 'Idempotency-Key: it'\\''s $1'",
      "--data-raw '@{}'",
    ]);
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
