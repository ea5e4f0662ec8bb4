import type { ArchivedPet } from "../../application/ports/pet-archive.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../../domain/pet.js";

export const COLUMNS = "id, name, category_id, status";

/** Every column, in their order in `ArchivedRow`. */
export const ALL_COLUMNS = `${COLUMNS}, idempotency_key, idempotency_fingerprint`;

export type PetRow = [id: bigint, name: string, categoryId: bigint, status: Pet["status"]];

/** A row without its id. */
export type NewRow = [
  name: string,
  categoryId: bigint,
  status: Pet["status"],
  key: string | null,
  fingerprint: string | null,
];

export type ArchivedRow = [id: bigint, ...NewRow];

export function toPet([id, name, categoryId, status]: PetRow | ArchivedRow): Pet {
  return { id, name, categoryId, status };
}

export function toArchived(row: ArchivedRow): ArchivedPet {
  const [, , , , key, fingerprint] = row;
  return { pet: toPet(row), record: key === null ? undefined : { key, fingerprint: fingerprint ?? "" } };
}

export function toNewRow({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): NewRow {
  return [name, categoryId, status, record?.key ?? null, record?.fingerprint ?? null];
}

/** Rows as a thread hands them over: of many small arrays and bigints the copy would take longer than the query. */
export function pack(rows: readonly PetRow[]) {
  const integers = new BigInt64Array(2 * rows.length);
  const texts: string[] = [];
  for (const [at, [id, name, categoryId, status]] of rows.entries()) {
    integers.set([id, categoryId], 2 * at);
    texts.push(name, status);
  }
  return { integers, texts };
}

export function unpack({ integers, texts }: ReturnType<typeof pack>): Pet[] {
  const pets: Pet[] = [];
  for (let at = 0; at < texts.length; at += 2) {
    pets.push(toPet([integers[at], texts[at], integers[at + 1], texts[at + 1]] as PetRow));
  }
  return pets;
}
