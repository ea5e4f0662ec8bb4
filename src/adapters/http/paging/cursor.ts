import { crc32 } from "node:zlib";
import { ErrorAnswer } from "../answer/error-codes.js";

/**
 * A cursor is 14 bytes in base64url: the version, the filter of its list (a number from 0 to 255 that the resource gives;
 * 0 for none), the id after which the page starts (int64, big-endian), and the CRC-32 of the bytes before it. It is no
 * secret; the checksum detects damage, and sees every change of a single character.
 */
const VERSION = 1;
const BODY_LENGTH = 10;
const LENGTH = 14;

// One buffer for all cursors: a new one each time took longer than all the rest.
const bytes = Buffer.alloc(LENGTH);
const body = bytes.subarray(0, BODY_LENGTH);
const view = new DataView(bytes.buffer, bytes.byteOffset, LENGTH);

/** Makes the cursor of the page after the item with this id, under this filter. */
export function encodeCursor(after: bigint, filter: number): string {
  view.setUint8(0, VERSION);
  view.setUint8(1, filter);
  view.setBigInt64(2, after);
  view.setUint32(BODY_LENGTH, crc32(body));
  return bytes.toString("base64url");
}

/**
 * The id after which the page starts.
 *
 * @throws ErrorAnswer `invalid_cursor`: the cursor is damaged, of another version, or was made for another filter.
 */
export function decodeCursor(cursor: string, filter: number): bigint {
  const sent = Buffer.from(cursor, "base64url");
  if (sent.length !== LENGTH) throw FOREIGN;
  const after = sent.readBigInt64BE(2);
  // A cursor must equal, letter for letter, the one that this version makes: base64 has spare bits.
  if (encodeCursor(after, sent.readUInt8(1)) !== cursor) throw FOREIGN;
  if (sent.readUInt8(1) !== filter) throw OTHER_FILTER;
  return after;
}

const FOREIGN = new ErrorAnswer(
  "invalid_cursor",
  "cursor is not one this service made; take it unchanged from the Link header of a page.",
);
const OTHER_FILTER = new ErrorAnswer(
  "invalid_cursor",
  "cursor was made for another filter; send the filter it was made for.",
);
