import { expect } from "chai";
import { prefersStrict } from "../../../../src/adapters/http/headers/prefer.js";

describe("prefersStrict", () => {
  for (const [header, isStrict] of [
    ["handling=strict", true],
    ['Handling = "Strict"', true],
    ["handling=strict ; x=1", true],
    ["handling=strict/x", false],
    ['foo="a, \\"b", handling=strict', true],
    ["handling=strict, handling=lenient", true],
    ["handling=lenient, handling=strict", false],
    ["handling", false],
    ["xhandling=strict", false],
    ["respond-async; handling=strict", false],
    ['foo="handling=strict"', false],
    ['foo=", handling=strict', false],
  ] as const) {
    it(`is ${isStrict} for ${header}`, () => expect(prefersStrict(header)).to.equal(isStrict));
  }

  it("takes time in proportion to the length of the header, as hostile as it may be", () => {
    const started = process.cpuUsage();
    // A reader in quadratic time takes some 100 ms for each.
    for (let round = 0; round < 50; round++) {
      for (const part of ['\\\\"', '\\"', '""', ",,"]) {
        expect(prefersStrict(`"${part.repeat(8000)}`)).to.equal(false);
        expect(prefersStrict(part.repeat(8000))).to.equal(false);
      }
    }
    expect(process.cpuUsage(started).user, "microseconds").to.be.below(2_000_000);
  });
});
