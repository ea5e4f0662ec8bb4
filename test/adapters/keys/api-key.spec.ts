import { expect } from "chai";
import { digestOf, KEY_FORM, KEY_NAME, makeApiKey } from "../../../src/adapters/keys/api-key.js";

describe("API key", () => {
  it("is 192 random bits behind a recognisable prefix", () => {
    const keys = Array.from({ length: 1000 }, makeApiKey);
    for (const key of keys) {
      expect(key).to.match(/^petstore_[\w-]{32}$/);
      expect(key).to.match(KEY_FORM);
    }
    expect(new Set(keys).size).to.equal(1000);
    // No bit is constant: each of the 192 is set in some keys and clear in others.
    const bits = keys.map((key) => BigInt(`0x${Buffer.from(key.slice(9), "base64url").toString("hex")}`));
    expect(bits.reduce((a, b) => a | b)).to.equal(2n ** 192n - 1n);
    expect(bits.reduce((a, b) => a & b)).to.equal(0n);
  });

  it("has a name of 1 to 64 letters, digits and _.@-", () => {
    for (const name of ["a", "x".repeat(64), "Ann_1.b@c-d"]) expect(name).to.match(KEY_NAME);
    for (const name of ["", "x".repeat(65), "a b", " a", "a\n"]) expect(name).not.to.match(KEY_NAME);
  });

  it("has the SHA-256 of its text as digest", () => {
    // The example "abc" of FIPS 180-4.
    const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(digestOf("abc").toString("hex")).to.equal(digest);
  });
});
