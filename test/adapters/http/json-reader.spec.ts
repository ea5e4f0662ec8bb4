import { expect } from "chai";
import fc from "fast-check";
import { JsonNumber, readJsonObject, toInteger } from "../../../src/adapters/http/json-reader.js";

/** What the walk over the tokens must not confuse, wherever it stands in a text. */
const anyName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "",
    "a",
    '"',
    "\\",
    '\\"',
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "1",
  ),
);
const anyValue = fc.jsonValue({ maxDepth: 4 });

/** The same text with white space between its tokens, which JSON allows anywhere there. */
function spaced(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, " \t\r\n$& ");
}

describe("readJsonObject", () => {
  it("agrees with JSON.parse on every object", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyName, anyValue), { maxLength: 8 }),
        fc.boolean(),
        (entries, spaces) => {
          const unique = [...new Map(entries)];
          const text = `{${unique.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`;
          const members = readJsonObject(spaces ? spaced(text) : text);
          expect([...members.keys()]).to.deep.equal(unique.map(([name]) => name));
          for (const [name, value] of unique) {
            const read = members.get(name);
            if (typeof value === "number") {
              expect(read).to.be.instanceOf(JsonNumber);
              expect((read as JsonNumber).text).to.equal(JSON.stringify(value));
            } else {
              expect(read).to.deep.equal(JSON.parse(JSON.stringify(value)));
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("refuses every object that has a name twice, at any depth, however the name is written", () => {
    const wrap = fc.constantFrom<(json: string) => string>(
      (json) => `{"x":${json}}`,
      (json) => `{"x":[1,${json},{}]}`,
      (json) => `{"x":{"y":2,"z":[[${json}]]}}`,
    );
    const escaped = (name: string) =>
      `"${[...name]
        .flatMap((c) => c.split(""))
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join("")}"`;
    fc.assert(
      fc.property(
        anyName,
        anyValue,
        anyValue,
        fc.boolean(),
        fc.option(wrap),
        (name, first, second, isEscaped, wrapped) => {
          const again = isEscaped ? escaped(name) : JSON.stringify(name);
          const text = `{${JSON.stringify(name)}:${JSON.stringify(first)},${again}:${JSON.stringify(second)}}`;
          expect(() => readJsonObject(wrapped ? wrapped(text) : text))
            .to.throw()
            .with.property("code", "duplicate_field");
        },
      ),
      { numRuns: 300 },
    );
  });

  it("refuses what JSON.parse refuses, and what is no object, with invalid_json", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ 1e-.atrufalsn\n\u0000'), maxLength: 12 }),
        (text) => {
          let expected: unknown;
          try {
            expected = JSON.parse(text);
          } catch {}
          const isObject = typeof expected === "object" && expected !== null && !Array.isArray(expected);
          fc.pre(!isObject);
          expect(() => readJsonObject(text))
            .to.throw()
            .with.property("code", "invalid_json");
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** What a JSON number stands for where that is an integer of at most 19 digits: the slow and plain way. */
function model(sign: string, whole: string, fraction: string, power: number): bigint | undefined {
  let numerator = BigInt(whole + fraction);
  let denominator = 1n;
  const shift = power - fraction.length;
  if (shift >= 0) numerator *= 10n ** BigInt(shift);
  else denominator = 10n ** BigInt(-shift);
  if (numerator % denominator !== 0n) return undefined;
  const value = numerator / denominator;
  if (value >= 10n ** 19n) return undefined;
  return sign === "-" ? -value : value;
}

describe("toInteger", () => {
  const digits = fc.stringMatching(/^[0-9]{1,24}$/);
  const zeroes = fc.stringMatching(/^[0-9]{1,3}0{0,24}$/);
  const whole = fc.oneof(digits, zeroes).map((text) => text.replace(/^0+(?=\d)/, ""));
  const fraction = fc.oneof(fc.constant(""), digits, fc.stringMatching(/^0{1,9}$/));
  const power = fc.option(fc.integer({ min: -60, max: 60 }), { nil: undefined });

  it("is exact: it agrees with a model of unbounded integers", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("", "-"),
        whole,
        fraction,
        power,
        fc.constantFrom("e", "E", "e+"),
        (sign, w, f, p, e) => {
          const exponent = p === undefined ? "" : `${p < 0 ? e.charAt(0) : e}${p}`;
          const text = `${sign}${w}${f && `.${f}`}${exponent}`;
          expect(toInteger(new JsonNumber(text)), text).to.equal(model(sign, w, f, p ?? 0));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("takes time in proportion to the length of a number", () => {
    const zeros = "0".repeat(16_000);
    const started = Date.now();
    // A reader in quadratic time takes some 100 ms for each.
    for (let round = 0; round < 50; round++) {
      for (const text of [`1${zeros}1`, zeros, `0.${zeros}1`, `1e${zeros}1`]) toInteger(new JsonNumber(text));
    }
    expect(Date.now() - started).to.be.below(2000);
  });
});
