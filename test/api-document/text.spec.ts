import { expect } from "chai";
import fc from "fast-check";
import { LANGUAGES, type Language, sampleOf } from "../../src/api-document/browser/text/code-samples.js";
import { codeTokens } from "../../src/api-document/browser/text/code-tokens.js";
import { jsonTokens } from "../../src/api-document/browser/text/json-tokens.js";

const LANGUAGE = fc.constantFrom(...(Object.keys(LANGUAGES) as Language[]));
/** A body of JSON text, or what a reader types in its place. */
const BODY = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[\\"'`${}\n ]*$/), fc.json());

const textOf = (tokens: readonly { text: string }[]) => tokens.map(({ text }) => text).join("");

describe("The page's way with code", () => {
  it("colours a sample without changing a character, and marks the key", () => {
    fc.assert(
      fc.property(LANGUAGE, BODY, (language, body) => {
        const request = { method: "POST", url: "http://127.0.0.1/v1/pets", headers: { A: "b" }, body };
        const code = sampleOf(language, request, "petstore_key");
        const tokens = codeTokens(code, "petstore_key");
        expect(textOf(tokens)).to.equal(code);
        expect(tokens.filter(({ kind }) => kind === "secret")).to.have.length(1);
      }),
    );
  });

  it("writes any body into JavaScript so that it is sent to the letter", async () => {
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (fetch: unknown) => Promise<void>;
    const property = fc.asyncProperty(BODY, async (body) => {
      const request = { method: "POST", url: "http://127.0.0.1/v1/pets", headers: {}, body };
      const code = sampleOf("javascript", request, "key").replace(/console\.log.*$/, "");
      let sent: unknown;
      await new AsyncFunction("fetch", code)(async (_: string, options: { body: string }) => {
        sent = options.body;
      });
      expect(sent).to.equal(body);
    });
    await fc.assert(property);
  });

  it("lays JSON out without changing a token of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(textOf(jsonTokens(JSON.stringify(value))))).to.deep.equal(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
    expect(textOf(jsonTokens('[{"categoryId":9007199254740993}]'))).to.equal(
      '[\n  {\n    "categoryId": 9007199254740993\n  }\n]',
    );
  });
});
