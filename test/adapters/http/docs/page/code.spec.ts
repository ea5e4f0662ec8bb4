import { expect } from "chai";
import fc from "fast-check";
import { coloured } from "../../../../../src/adapters/http/docs/browser/colour.js";
import { exactly } from "../../../../../src/adapters/http/docs/browser/exactly.js";
import { LANGUAGES, type Language, sampleOf } from "../../../../../src/adapters/http/docs/browser/samples.js";
import { anyCharacter } from "../../../../support/any-character.js";

const LANGUAGE = fc.constantFrom(...(Object.keys(LANGUAGES) as Language[]));
/** A body of JSON text, or what a reader types in its place. */
const BODY = fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\\"'`${}\n ]*$/), fc.json());

describe("The page's way with code", () => {
  it("colours a sample without changing a character", () => {
    fc.assert(
      fc.property(LANGUAGE, BODY, (language, body) => {
        const request = { method: "POST", url: "http://127.0.0.1/v1/pets", headers: { A: "b" }, body };
        const code = sampleOf(language, request);
        const pieces = coloured(code).map(({ text }) => text);
        expect(pieces.join("")).to.equal(code);
      }),
    );
  });

  it("colours a whole answer by its parts", () => {
    const answer = '404 Not Found\nLink: <a>; rel="next"\n\n{\n  "id": -9007199254740993,\n  "on": true\n}';
    const kinds = coloured(answer).flatMap(({ kind, text }) => (kind ? [`${kind} ${text}`] : []));
    expect(kinds).to.deep.equal([
      "bad 404 Not Found",
      "name Link",
      'value <a>; rel="next"',
      'name "id"',
      "number -9007199254740993",
      'name "on"',
      "word true",
    ]);
  });

  it("writes any body into JavaScript so that it is sent to the letter", async () => {
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: string[]
    ) => (fetch: unknown) => Promise<void>;
    const property = fc.asyncProperty(BODY, async (body) => {
      const request = { method: "POST", url: "http://127.0.0.1/v1/pets", headers: {}, body };
      const code = sampleOf("javascript", request).replace(/console\.log.*$/, "");
      let sent: unknown;
      await new AsyncFunction("fetch", code)(async (_: string, options: { body: string }) => {
        sent = options.body;
      });
      expect(sent).to.equal(body);
    });
    await fc.assert(property);
  });

  it("lays JSON out with every digit, or shows it as it came where the engine lacks the means", () => {
    const json = '[{"categoryId":9007199254740993}]';
    const laidOut = '[\n  {\n    "categoryId": 9007199254740993\n  }\n]';
    expect(exactly(json)).to.equal("rawJSON" in JSON ? laidOut : json);
  });
});
