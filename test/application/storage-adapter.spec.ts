import { expect } from "chai";
import { maskPassword } from "../../src/application/storage-adapter.js";

describe("maskPassword", () => {
  for (const [text, masked] of [
    ["acme://user:secret@host/pets", "acme://user:***@host/pets"],
    ["acme://:se:cr/e?t#@h", "acme://:***@h"],
    ["failed at acme://u:a@b@h, then at acme://u:c@h", "failed at acme://u:***@h, then at acme://u:***@h"],
    ["acme://user@host:1/pets", "acme://user@host:1/pets"],
    ["acme://host:1/pets a:b@c", "acme://host:1/pets a:b@c"],
  ] as const) {
    it(`shows ${text} as ${masked}`, () => expect(maskPassword(text)).to.equal(masked));
  }

  // In quadratic time this would take a minute.
  for (const part of ["a", "a:", "://a:", "@://a:"]) {
    it(`takes linear time for many "${part}"`, () => {
      const text = part.repeat(200_000);
      expect(maskPassword(`x://user:secret@h ${text}`)).to.match(/^x:\/\/user:\*\*\*@h /);
    });
  }
});
