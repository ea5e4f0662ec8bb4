import { expect } from "chai";
import fc from "fast-check";
import { JsonNumber, toInteger } from "../../../../src/adapters/http/body/json-number.js";

/** Reads a JSON number in a slow and simple way, if it is an integer of at most 19 digits. */
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
    const started = process.cpuUsage();
    // A reader in quadratic time takes some 100 ms for each.
    for (let round = 0; round < 50; round++) {
      for (const text of [`1${zeros}1`, zeros, `0.${zeros}1`, `1e${zeros}1`]) toInteger(new JsonNumber(text));
    }
    expect(process.cpuUsage(started).user, "microseconds").to.be.below(2_000_000);
  });
});
