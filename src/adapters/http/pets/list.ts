import { crc32 } from "node:zlib";
import * as v from "valibot";
import { type ListPets, PAGE_LIMIT } from "../../../application/list-pets.js";
import type { PetStatus } from "../../../domain/pet.js";
import { HttpError } from "../http-error.js";
import { readQuery, wholeNumber } from "../json/read-input.js";
import type { AppSettings, Operation } from "../operations.js";
import { petJson, status } from "./pet-schemas.js";

const ListQuerySchema = v.object({
  limit: v.exactOptional(wholeNumber),
  status,
  cursor: v.exactOptional(v.string()),
});

/** Responds with a page of pets and, unless it is the last one, a `Link` to the next (RFC 8288). */
export function listPets(useCase: ListPets, { publicUrl = "" }: AppSettings): Operation {
  return {
    id: "listPets",
    method: "get",
    path: "/v1/pets",
    async handle(ctx) {
      const { limit = PAGE_LIMIT.default, status, cursor } = readQuery(ListQuerySchema, ctx.querystring);
      const after = cursor === undefined ? undefined : decodeCursor(cursor, status);
      const { pets, next } = await useCase.execute({ limit, status, after });
      if (next !== undefined) {
        const filter = status ? `&status=${status}` : "";
        const query = `limit=${limit}${filter}&cursor=${encodeCursor(next, status)}`;
        ctx.set("Link", `<${publicUrl}/v1/pets?${query}>; rel="next"`);
      }
      return `[${pets.map(petJson).join()}]`;
    },
  };
}

/**
 * A cursor is 14 bytes in base64url: version, filter, the last id of the page before (int64, big-endian), and
 * the CRC-32 of these, which detects every change of a single character.
 */
const VERSION = 1;
const FILTERS: Readonly<Record<PetStatus, number>> = { available: 1, pending: 2, sold: 3 };
const CHECKED = 10;
const LENGTH = 14;

// Shared, since an allocation for each cursor would take longer than the rest.
const bytes = Buffer.alloc(LENGTH);

export function encodeCursor(after: bigint, status: PetStatus | undefined): string {
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt8(status ? FILTERS[status] : 0, 1);
  bytes.writeBigInt64BE(after, 2);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, CHECKED)), CHECKED);
  return bytes.toString("base64url");
}

export function decodeCursor(cursor: string, status: PetStatus | undefined): bigint {
  const sent = Buffer.from(cursor, "base64url");
  const after = sent.length === LENGTH ? sent.readBigInt64BE(2) : 0n;
  // Base64 has spare bits, so several strings decode alike; only the one encoded here is valid.
  if (encodeCursor(after, status) === cursor) return after;
  throw new HttpError(
    "invalid_cursor",
    "cursor was not issued for this filter; take it unchanged from the Link header of a page.",
  );
}
