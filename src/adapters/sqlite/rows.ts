import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type ArchivedPet, SEQUENCE_END } from "../../application/ports/pet-archive.js";
import type { Pet } from "../../domain/pet.js";

export const COLUMNS = "id, name, category_id, status";

/** Every column, in their order in `ArchivedRow`. */
export const ALL_COLUMNS = `${COLUMNS}, idempotency_key, idempotency_fingerprint`;

export type PetRow = [id: bigint, name: string, categoryId: bigint, status: Pet["status"]];

export type ArchivedRow = [...PetRow, key: string | null, fingerprint: string | null];

/** A statement whose integers are exact, and whose rows are arrays. */
export function prepareExact(database: DatabaseSyncInstance, sql: string): StatementSyncInstance {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}

export function toPet([id, name, categoryId, status]: PetRow): Pet {
  return { id, name, categoryId, status };
}

export function toArchived([id, name, categoryId, status, key, fingerprint]: ArchivedRow): ArchivedPet {
  const record = key === null ? undefined : { key, fingerprint: fingerprint ?? "" };
  return { pet: { id, name, categoryId, status }, record };
}

/**
 * The last id that was given. AUTOINCREMENT keeps it in sqlite_sequence, which has no row before the first
 * pet. If an operator has lowered it by hand, ids must still be given only once.
 */
export const LAST_ID = `
  WITH sequence (last) AS (SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0))
  SELECT max(last, coalesce(CASE WHEN last < ${SEQUENCE_END} THEN (SELECT max(id) FROM pets WHERE id < ${SEQUENCE_END})
                            ELSE (SELECT max(id) FROM pets) END, 0)) FROM sequence`;
