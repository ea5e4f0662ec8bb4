import { crc32 } from "node:zlib";
import { expect } from "chai";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../../../src/adapters/http/paging/cursor.js";
import { INT64_MAX, INT64_MIN } from "../../../../src/domain/int64.js";

const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const anyFilter = fc.nat({ max: 255 });
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function refusal(cursor: string, filter = 0): Error & { code?: string } {
  try {
    return new Error(`taken as ${decodeCursor(cursor, filter)}`);
  } catch (error) {
    return error as Error & { code: string };
  }
}

describe("A cursor", () => {
  it("is URL-safe and gives back every int64 under the filter it was made for", () => {
    fc.assert(
      fc.property(anyId, anyFilter, (id, filter) => {
        const cursor = encodeCursor(id, filter);
        expect(cursor).to.match(/^[\w-]+$/);
        expect(decodeCursor(cursor, filter)).to.equal(id);
      }),
    );
  });

  it("is refused with any other filter, and the message says so", () => {
    fc.assert(
      fc.property(anyId, anyFilter, anyFilter, (id, made, used) => {
        fc.pre(made !== used);
        expect(refusal(encodeCursor(id, made), used)).to.include({ code: "invalid_cursor" });
        expect(refusal(encodeCursor(id, made), used).message).to.contain("another filter");
      }),
    );
  });

  it("is refused with any one character changed to any other", () => {
    const cursor = encodeCursor(1234n, 3);
    for (let place = 0; place < cursor.length; place++) {
      for (const character of `${ALPHABET}+/=. \u0000é`) {
        if (character === cursor[place]) continue;
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
        for (const filter of [0, 1, 2, 3]) {
          if (refusal(changed, filter).code !== "invalid_cursor") expect.fail(changed);
        }
      }
    }
  });

  it("is refused truncated, extended, padded, doubled, and if two characters changed places", () => {
    const cursor = encodeCursor(77n, 0);
    for (let length = 0; length < cursor.length; length++) {
      expect(refusal(cursor.slice(0, length)), `${length}`).to.include({ code: "invalid_cursor" });
    }
    const swapped = cursor.replace(/(.)(.)$/, "$2$1");
    for (const changed of [`${cursor}A`, `${cursor}=`, ` ${cursor}`, cursor + cursor, swapped]) {
      expect(refusal(changed), changed).to.include({ code: "invalid_cursor" });
    }
  });

  it("is refused if it is of another version, even with a valid checksum", () => {
    const bytes = Buffer.from(encodeCursor(1n, 0), "base64url");
    for (const version of [1, 0, 2, 255]) {
      bytes.writeUInt8(version, 0);
      bytes.writeUInt32BE(crc32(bytes.subarray(0, 10)), 10);
      const cursor = bytes.toString("base64url");
      if (version === 1) expect(decodeCursor(cursor, 0)).to.equal(1n);
      else expect(refusal(cursor)).to.include({ code: "invalid_cursor" });
    }
  });
});
