import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "yaml";
import { pageHtml } from "../../../src/api-document/page/page.js";

const DOCUMENT = parse(readFileSync("src/api-document/openapi.yaml", "utf8"), { intAsBigInt: true });

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

  for (const method of METHODS) {
    it(`has an operation with ${method}, and a request in curl that sends it`, () => {
      const [, , section = ""] = page.split(`${method}Thing-title">`);
      const [, curl = ""] = /(curl .*?)An example/s.exec(section.replace(/<[^>]+>/g, "")) ?? [];
      const implied = { get: "", head: "--head", post: "" }[method] ?? `-X ${method.toUpperCase()}`;
      expect(curl).to.contain(`/v1/things/7`).and.contain(implied);
      if (implied === "") expect(curl).not.to.contain("-X");
      if (/^p/.test(method)) expect(curl).to.contain("Content-Type: application/merge-patch+json");
    });
  }

  it("shows bodies that are no JSON, statuses of every kind, and types and bounds of every kind", () => {
    expect(text).to.contain("Content-Type: text/csv\n\na;b").and.contain("204 No Content");
    expect(text).to.contain("string or null · at most 9 characters").and.contain("at least 1");
    expect(page).to.contain('href="#errors">4XX');
    expect(text).not.to.match(/undefined|\[object/);
  });
});
