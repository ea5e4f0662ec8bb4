import { crc32 } from "node:zlib";
import { PET_STATUSES, type PetStatus } from "../../../domain/pet.js";
import { HttpError } from "../answer/error-codes.js";

/**
 * A cursor is 14 bytes in base64url: the version, the filter (0 for none, otherwise the status's place
 * counted from 1), the id after which the page starts (int64, big-endian), and the CRC-32 of the bytes before
 * it. It is no secret; the checksum detects damage, and sees every change of a single character.
 */
const VERSION = 1;
const BODY_LENGTH = 10;
const LENGTH = 14;

/** The filters at their places. */
const FILTERS = [undefined, ...PET_STATUSES];

// One buffer for all cursors: a new one each time took longer than all the rest.
const bytes = Buffer.alloc(LENGTH);
const body = bytes.subarray(0, BODY_LENGTH);
const view = new DataView(bytes.buffer, bytes.byteOffset, LENGTH);

/** Makes the cursor of the page after the pet with this id, under this filter. */
export function encodeCursor(after: bigint, status: PetStatus | undefined): string {
  view.setUint8(0, VERSION);
  view.setUint8(1, FILTERS.indexOf(status));
  view.setBigInt64(2, after);
  view.setUint32(BODY_LENGTH, crc32(body));
  return bytes.toString("base64url");
}

/**
 * The id after which the page starts.
 *
 * @throws HttpError `invalid_cursor`: the cursor is damaged, of another version, or was made for another filter.
 */
export function decodeCursor(cursor: string, status: PetStatus | undefined): bigint {
  const sent = Buffer.from(cursor, "base64url");
  if (sent.length !== LENGTH) throw FOREIGN;
  const filter = FILTERS[sent.readUInt8(1)];
  const after = sent.readBigInt64BE(2);
  // A cursor must equal, letter for letter, the one that this version makes: base64 has spare bits.
  if (encodeCursor(after, filter) !== cursor) throw FOREIGN;
  if (filter !== status) throw OTHER_FILTER;
  return after;
}

const FOREIGN = new HttpError(
  "invalid_cursor",
  "cursor is not one this service made; take it unchanged from the Link header of a page.",
);
const OTHER_FILTER = new HttpError(
  "invalid_cursor",
  "cursor was made for another status filter; send the filter it was made for.",
);
