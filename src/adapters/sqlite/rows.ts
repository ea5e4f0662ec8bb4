import type { IdempotencyRecord } from "../../application/ports/idempotency-record.js";
import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { NewPet, Pet, PetStatus } from "../../domain/pet.js";

export const PET_COLUMNS = "id, name, category_id, status";
export type PetRow = [bigint, string, bigint, PetStatus];

export const COLUMNS = `${PET_COLUMNS}, idempotency_key, idempotency_fingerprint`;
export type Row = [bigint, ...NewRow];
/** Without the id, which SQLite assigns. */
export type NewRow = [string, bigint, PetStatus, string | null, string | null];

export function toPet([id, name, categoryId, status]: PetRow | Row): Pet {
  return { id, name, categoryId, status };
}

export function toArchived(row: Row): ArchivedPet {
  const [, , , , key, fingerprint] = row;
  return { pet: toPet(row), record: key === null ? undefined : { key, fingerprint: fingerprint ?? "" } };
}

export function toNewRow({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): NewRow {
  return [name, categoryId, status, record?.key ?? null, record?.fingerprint ?? null];
}
