import { expect } from "chai";
import { digestOf, makeApiKey } from "../../../src/adapters/keys/api-key.js";
import { KEY_FORM } from "../../../src/application/ports/key-verifier.js";

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

  it("has the SHA-256 of its text as digest", () => {
    // The example "abc" of FIPS 180-4.
    expect(digestOf("abc").toString("hex")).to.equal(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
