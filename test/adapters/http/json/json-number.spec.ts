import { expect } from "chai";
import fc from "fast-check";
import { JsonNumber } from "../../../../src/adapters/http/json/json-number.js";
import { isInt64 } from "../../../../src/domain/pet.js";

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

describe("JsonNumber", () => {
  const digits = fc.stringMatching(/^[0-9]{1,24}$/);
  const zeros = fc.stringMatching(/^[0-9]{1,3}0{0,24}$/);
  const whole = fc.oneof(digits, zeros).map((text) => text.replace(/^0+(?=\d)/, ""));
  const fraction = fc.oneof(fc.constant(""), digits, fc.stringMatching(/^0{1,9}$/));
  const power = fc.option(fc.integer({ min: -60, max: 60 }), { nil: undefined });

  it("is exact: it agrees with a model of unbounded integers", () => {
    fc.assert(
      fc.property(fc.constantFrom("", "-"), whole, fraction, power, (sign, w, f, p) => {
        const text = `${sign}${w}${f && `.${f}`}${p === undefined ? "" : `e${p}`}`;
        expect(new JsonNumber(text).toInt64(), text).to.equal(model(sign, w, f, p ?? 0));
      }),
      { numRuns: 1000 },
    );
  });

  for (const [text, integer] of Object.entries({
    "-0": 0n,
    "5E+0": 5n,
    [`1e${"9".repeat(16_000)}`]: undefined,
    [`1.${"0".repeat(16_000)}1`]: undefined,
    [`1e-${"9".repeat(16_000)}`]: undefined,
  })) {
    it(`reads ${text.slice(0, 20)} as ${integer}`, () =>
      expect(new JsonNumber(text).toInt64()).to.equal(integer));
  }
});
