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

/** Makes the cursor of the page after the pet with this id, under this filter. */
export function encodeCursor(after: bigint, status: PetStatus | undefined): string {
  return encode(after, filterOf(status));
}

/**
 * The id after which the page starts.
 *
 * @throws HttpError `invalid_cursor`: the cursor is damaged, of another version, or was made for another filter.
 */
export function decodeCursor(cursor: string, status: PetStatus | undefined): bigint {
  const sent = Buffer.from(cursor, "base64url");
  if (sent.length !== LENGTH) throw foreign();
  const filter = sent.readUInt8(1);
  const after = sent.readBigInt64BE(2);
  // A cursor must equal, letter for letter, the one that this version makes: base64 has spare bits.
  if (encode(after, filter) !== cursor) throw foreign();
  if (filter !== filterOf(status)) {
    throw invalid("cursor was made for another status filter; send the filter it was made for.");
  }
  return after;
}

// One buffer for all cursors: a new one each time took longer than all the rest.
const bytes = Buffer.alloc(LENGTH);
const body = bytes.subarray(0, BODY_LENGTH);
const view = new DataView(bytes.buffer, bytes.byteOffset, LENGTH);

function encode(after: bigint, filter: number): string {
  view.setUint8(0, VERSION);
  view.setUint8(1, filter);
  view.setBigInt64(2, after);
  view.setUint32(BODY_LENGTH, crc32(body));
  return bytes.toString("base64url");
}

function filterOf(status: PetStatus | undefined): number {
  return status === undefined ? 0 : PET_STATUSES.indexOf(status) + 1;
}

function foreign(): HttpError {
  return invalid("cursor is not one this service made; take it unchanged from the Link header of a page.");
}

function invalid(message: string): HttpError {
  return new HttpError("invalid_cursor", message);
}
