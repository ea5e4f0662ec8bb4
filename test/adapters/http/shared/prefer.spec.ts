import { expect } from "chai";
import { prefersStrict } from "../../../../src/adapters/http/shared/prefer.js";

describe("prefersStrict", () => {
  for (const [header, isStrict] of Object.entries({
    "handling=strict": true,
    'Handling = "Strict"': true,
    "handling=strict ; x=1": true,
    "return=minimal, handling=strict": true,
    'foo="a, \\"b", handling=strict': true,
    "handling=strict, handling=lenient": true,
    "handling=lenient, handling=strict": false,
    "handling=strict/x": false,
    handling: false,
    xhandling: false,
    "respond-async; handling=strict": false,
    'foo="handling=strict"': false,
    'foo=", handling=strict': false,
    [`"${'\\\\"'.repeat(5000)}`]: false,
  })) {
    it(`is ${isStrict} for ${header.slice(0, 40)}`, () => expect(prefersStrict(header)).to.equal(isStrict));
  }
});
