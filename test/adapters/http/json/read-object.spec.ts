import { expect } from "chai";
import fc from "fast-check";
import { HttpError } from "../../../../src/adapters/http/http-error.js";
import { readInt64, readObject } from "../../../../src/adapters/http/json/read-object.js";
import { isInt64 } from "../../../../src/domain/pet.js";

/** Any character of Unicode. fast-check's own `unit: "binary"` spends half a second on a map of them all. */
const anyCharacter = fc
  .nat(0x10ffff)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));

/** Names that the walk over the tokens could confuse with something else. */
const anyName = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom("__proto__", "constructor", "", '\\"', ...'a1"\\{}[]:,'),
);
const anyValue = fc.jsonValue({ maxDepth: 4 });

const spaced = (json: string) => json.replaceAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, " \t\r\n$& ");
const escaped = (name: string) =>
  `"${name.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}"`;

describe("readObject", () => {
  it("agrees with JSON.parse on every object, but for numbers", () => {
    const anyEntries = fc.array(fc.tuple(anyName, anyValue), { maxLength: 8 });
    fc.assert(
      fc.property(anyEntries, fc.boolean(), (entries, spaces) => {
        const unique = [...new Map(entries)];
        const pairs = unique.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
        const members = readObject(spaces ? spaced(`{${pairs}}`) : `{${pairs}}`);
        expect([...members.keys()]).to.have.members(unique.map(([name]) => name));
        for (const [name, value] of unique) {
          const flat = typeof value === "object" ? null : value;
          const expected = typeof flat === "number" ? readInt64(JSON.stringify(flat)) : flat;
          expect(members.get(name)).to.deep.equal(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("rejects every object with a repeated name, at any depth, however the name is written", () => {
    const anyPlace = fc.constantFrom('{"x":@}', '{"x":[1,@,{}]}', '{"x":{"y":2,"z":[[@]]}}', "@");
    const anyWriting = fc.constantFrom(escaped, JSON.stringify);
    fc.assert(
      fc.property(anyName, anyValue, anyWriting, anyPlace, (name, value, write, place) => {
        const pair = (text: string) => `${text}:${JSON.stringify(value)}`;
        const text = place.replace("@", () => `{${pair(JSON.stringify(name))},${pair(write(name))}}`);
        expect(() => readObject(text))
          .to.throw()
          .with.property("code", "duplicate_field");
      }),
      { numRuns: 300 },
    );
  });

  it("rejects whatever JSON.parse does, and all but objects, with invalid_json", () => {
    const anyText = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ 1e-.atrufalsn\n\0'), maxLength: 12 });
    fc.assert(
      fc.property(anyText, (text) => {
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {}
        fc.pre(typeof parsed !== "object" || parsed === null || Array.isArray(parsed));
        expect(() => readObject(text))
          .to.throw(parsed === undefined ? /syntax/ : /must be a JSON object/)
          .with.property("code", "invalid_json");
      }),
      { numRuns: 300 },
    );
  });

  for (const [text, isRead] of [
    ["[".repeat(16_384), false],
    [`"${"\\".repeat(16_000)}`, false],
    [`{"x":${'{"a":'.repeat(1500)}{"b":1,"b":1}${"}".repeat(1500)}}`, false],
    [`{"x":${"[".repeat(7000)}${"]".repeat(7000)}}`, true],
    [`{"x":"${"\\\\".repeat(8000)}"}`, true],
  ] as const) {
    it(`${isRead ? "reads" : "rejects"} ${text.slice(0, 20)}…`, () => {
      if (isRead) expect(readObject(text)).to.have.keys("x");
      else expect(() => readObject(text)).to.throw(HttpError);
    });
  }
});

/** Reads a JSON number in a slow and simple way, if it is an int64. */
function model(sign: string, whole: string, fraction: string, power: number): bigint | undefined {
  const shift = power - fraction.length;
  const numerator = BigInt(whole + fraction) * 10n ** BigInt(Math.max(shift, 0));
  const denominator = 10n ** BigInt(Math.max(-shift, 0));
  const value = numerator / denominator;
  if (numerator % denominator !== 0n) return undefined;
  const signed = sign === "-" ? -value : value;
  return isInt64(signed) ? signed : undefined;
}

describe("readInt64", () => {
  const digits = fc.stringMatching(/^[0-9]{1,24}$/);
  const zeros = fc.stringMatching(/^[0-9]{1,3}0{0,24}$/);
  const whole = fc.oneof(digits, zeros).map((text) => text.replace(/^0+(?=\d)/, ""));
  const fraction = fc.oneof(fc.constant(""), digits, fc.stringMatching(/^0{1,9}$/));
  const power = fc.option(fc.integer({ min: -60, max: 60 }), { nil: undefined });

  it("is exact: it agrees with a model of unbounded integers", () => {
    fc.assert(
      fc.property(fc.constantFrom("", "-"), whole, fraction, power, (sign, w, f, p) => {
        const text = `${sign}${w}${f && `.${f}`}${p === undefined ? "" : `e${p}`}`;
        expect(readInt64(text), text).to.equal(model(sign, w, f, p ?? 0));
      }),
      { numRuns: 1000 },
    );
  });

  for (const [text, integer] of Object.entries({
    "5E+0": 5n,
    [`1e${"9".repeat(16_000)}`]: undefined,
    [`1.${"0".repeat(16_000)}1`]: undefined,
  })) {
    it(`reads ${text.slice(0, 20)} as ${integer}`, () => {
      expect(readInt64(text)).to.equal(integer);
    });
  }
});
