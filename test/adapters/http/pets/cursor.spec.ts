import { crc32 } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../../../src/adapters/http/pets/cursor.js";
import { INT64_MAX, INT64_MIN } from "../../../../src/domain/int64.js";

const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const anyFilter = fc.nat({ max: 255 });
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \u0000é";

/** Why a cursor is rejected; undefined if it is not. */
function rejection(cursor: string, filter = 0): string | undefined {
  try {
    decodeCursor(cursor, filter);
    return undefined;
  } catch (error) {
    expect(error).to.have.property("code", "invalid_cursor");
    return (error as Error).message;
  }
}

describe("A cursor", () => {
  it("is URL-safe, and gives back every int64 under its filter, and under no other", () => {
    fc.assert(
      fc.property(anyId, anyFilter, anyFilter, (id, filter, other) => {
        const cursor = encodeCursor(id, filter);
        expect(cursor).to.match(/^[\w-]+$/);
        expect(decodeCursor(cursor, filter)).to.equal(id);
        if (other !== filter) expect(rejection(cursor, other)).to.contain("another filter");
      }),
    );
  });

  it("is the same in every release", () => {
    expect(encodeCursor(258n, 3)).to.equal("AQMAAAAAAAABAsLQb-A");
  });

  it("is rejected with any one character changed", () => {
    const cursor = encodeCursor(1234n, 3);
    for (let place = 0; place < cursor.length; place++) {
      for (const character of CHARACTERS) {
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
        const taken = [0, 1, 2, 3].some((filter) => rejection(changed, filter) === undefined);
        if (taken && changed !== cursor) expect.fail(changed);
      }
    }
  });

  it("is rejected cut, extended, doubled, or of another version with a valid checksum", () => {
    const cursor = encodeCursor(77n, 0);
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
      expect(rejection(changed), changed).to.contain("not one this service made");
    }
  });
});
