import { crc32 } from "node:zlib";
import { HttpError } from "../http-error.js";

/** The list and the filter that a cursor is bound to. */
export interface CursorScope {
  /** A number from 0 to 255, which is part of the cursor. */
  readonly tag: number;
  /** Part of the checksum only, so it may have any length. */
  readonly text: string;
}

/**
 * A cursor is 14 bytes in base64url: the version, the tag, the id after which the page starts (int64, big-endian), and the
 * CRC-32 of these and the text of the scope, which detects every change of a single character.
 */
const VERSION = 1;
const CHECKED = 10;
const LENGTH = 14;

// Shared: allocating one for each cursor would take longer than the rest.
const bytes = Buffer.alloc(LENGTH);

export function encodeCursor(after: bigint, { tag, text }: CursorScope): string {
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(tag, 1);
  bytes.writeBigInt64BE(after, 2);
  bytes.writeUInt32BE(crc32(text, crc32(bytes.subarray(0, CHECKED))), CHECKED);
  return bytes.toString("base64url");
}

export function decodeCursor(cursor: string, scope: CursorScope): bigint {
  const sent = Buffer.from(cursor, "base64url");
  const after = sent.length === LENGTH ? sent.readBigInt64BE(2) : 0n;
  // Base64 has spare bits, so several strings decode alike; only the one encoded here is valid.
  if (encodeCursor(after, scope) === cursor) return after;
  throw new HttpError(
    "invalid_cursor",
    "cursor was not issued for this list and filter; take it unchanged from the Link header of a page.",
  );
}
