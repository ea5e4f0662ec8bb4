import { crc32 } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { type CursorScope, decodeCursor, encodeCursor } from "../../../../src/adapters/http/shared/cursor.js";
import { INT64_MAX, INT64_MIN } from "../../../../src/domain/pet.js";

const SOLD = { tag: 3, text: "" };
const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const anyScope = fc.record({
  tag: fc.constantFrom(0, 1, 255),
  text: fc.constantFrom("", "owners", "owners?city=a"),
});
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \u0000é";

const expectRejected = (cursor: string, scope: CursorScope) =>
  expect(() => decodeCursor(cursor, scope), cursor)
    .to.throw()
    .with.property("code", "invalid_cursor");

describe("A cursor", () => {
  it("is URL-safe, and holds any int64 for its list and filter, and for no other", () => {
    fc.assert(
      fc.property(anyId, anyScope, anyScope, (id, scope, another) => {
        const cursor = encodeCursor(id, scope);
        expect(cursor).to.match(/^[\w-]+$/);
        expect(decodeCursor(cursor, scope)).to.equal(id);
        if (another.tag !== scope.tag || another.text !== scope.text) expectRejected(cursor, another);
      }),
    );
  });

  it("of pets is the same in every release", () => {
    expect(encodeCursor(258n, SOLD)).to.equal("AQMAAAAAAAABAsLQb-A");
  });

  it("is rejected with any one character changed", () => {
    const cursor = encodeCursor(1234n, SOLD);
    for (let index = 0; index < cursor.length; index++) {
      for (const character of CHARACTERS) {
        const changed = cursor.slice(0, index) + character + cursor.slice(index + 1);
        if (changed !== cursor) for (const tag of [0, 1, 2, 3]) expectRejected(changed, { tag, text: "" });
      }
    }
  });

  it("is rejected cut, extended, doubled, or of another version with a valid checksum", () => {
    const cursor = encodeCursor(77n, SOLD);
    const bytes = Buffer.from(cursor, "base64url");
    bytes.writeUInt8(2, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 10)), 10);
    const cuts = Array.from(cursor, (_, length) => cursor.slice(0, length));
    for (const changed of [
      ...cuts,
      `${cursor}A`,
      `${cursor}=`,
      cursor + cursor,
      bytes.toString("base64url"),
    ]) {
      expectRejected(changed, SOLD);
    }
  });
});
