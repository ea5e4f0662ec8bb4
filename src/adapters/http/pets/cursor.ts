import { crc32 } from "node:zlib";
import { HttpError } from "../http-error.js";

/**
 * A cursor is 14 bytes in base64url: the version, the filter of the list (a number from 0 to 255), the id after which the
 * page starts (int64, big-endian), and the CRC-32 of these, which detects every change of a single character.
 */
const VERSION = 1;
const CHECKED = 10;
const LENGTH = 14;

// Shared: allocating one for each cursor would take longer than the rest.
const bytes = Buffer.alloc(LENGTH);

export function encodeCursor(after: bigint, filter: number): string {
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(filter, 1);
  bytes.writeBigInt64BE(after, 2);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED)), CHECKED);
  return bytes.toString("base64url");
}

export function decodeCursor(cursor: string, filter: number): bigint {
  const sent = Buffer.from(cursor, "base64url");
  if (sent.length !== LENGTH) throw NOT_OURS;
  const after = sent.readBigInt64BE(2);
  // Base64 has spare bits, so several strings decode alike; only the one encoded here is valid.
  if (encodeCursor(after, sent.readUInt8(1)) !== cursor) throw NOT_OURS;
  if (sent.readUInt8(1) !== filter) throw OTHER_FILTER;
  return after;
}

const NOT_OURS = new HttpError(
  "invalid_cursor",
  "cursor is not one this service made; take it unchanged from the Link header of a page.",
);
const OTHER_FILTER = new HttpError(
  "invalid_cursor",
  "cursor was made for another filter; send the filter it was made for.",
);
