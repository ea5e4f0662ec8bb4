import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { pageHtml } from "../../../../../src/adapters/http/docs/page/page.js";

const DOCUMENT = parse(readFileSync("src/adapters/http/docs/openapi.yaml", "utf8"), { intAsBigInt: true });

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/** Operations as another document may have them, one for each method: other media types, statuses, no example, no text. */
function others(): Record<string, object> {
  const schema = { type: ["string", "null"], maxLength: 9n };
  const operation = (method: string) => ({
    operationId: `${method}Thing`,
    summary: `${method} a thing`,
    description: "",
    parameters: [{ name: "id", in: "path", schema: { type: "integer", minimum: 1n }, example: 7 }],
    ...(/^p/.test(method) && {
      requestBody: { content: { "application/merge-patch+json": { schema, example: { a: null } } } },
    }),
    responses: {
      "304": { description: "Not changed." },
      [method === "delete" ? "204" : "2XX"]: {
        description: "Done.",
        ...(method === "get" && { content: { "text/csv": { schema, example: "a;b" } } }),
        ...(method === "put" && { content: { "application/octet-stream": { schema: {} } } }),
      },
      "4XX": { description: "Refused." },
    },
  });
  return Object.fromEntries(METHODS.map((method) => [method, operation(method)]));
}

describe("The page", () => {
  const page = pageHtml({ ...DOCUMENT, paths: { ...DOCUMENT.paths, "/things/{id}": others() } }, "", []);
  const text = page.replace(/<[^>]+>/g, "");

  it("has every method with a request in curl that sends it, in the media type of the document", () => {
    for (const method of ["put", "patch", "delete", "options", "trace"])
      expect(text).to.match(
        new RegExp(`curl http.*/v1/things/7 [^$]*\\$API_KEY[^-]*-X ${method.toUpperCase()}\\b`),
      );
    expect(text).to.contain("--head").and.contain("Content-Type: application/merge-patch+json");
    expect(text).not.to.contain("-X GET").and.not.contain("-X POST");
  });

  it("shows bodies that are no JSON, statuses of every kind, and types and bounds of every kind", () => {
    expect(text).to.contain("Content-Type: text/csv\n\na;b").and.contain("204 No Content");
    expect(text).to.contain("string or null · at most 9 characters").and.contain("at least 1");
    expect(page).to.contain('href="#errors">4XX').and.contain('placeholder="handling=strict"');
    expect(text).not.to.match(/undefined|\[object/);
  });
});
