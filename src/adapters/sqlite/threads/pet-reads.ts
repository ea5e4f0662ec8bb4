import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { PetRange } from "../../../application/ports/pet-repository.js";
import { HIGHEST_ID } from "../database.js";
import { ALL_COLUMNS, type ArchivedRow, COLUMNS, type PetRow, pack } from "../rows.js";

/** What the reading thread finds of pets. */
export function petReads(database: DatabaseSyncInstance) {
  const prepare = (sql: string) => database.prepare(sql);
  const selectOne = prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
  const selectRange = prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
  const selectStatusRange = prepare(
    `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const selectArchived = prepare(`SELECT ${ALL_COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);

  return {
    getPet: (id: bigint) => selectOne.get(id) as PetRow | undefined,

    listPets: ({ status, after, limit }: PetRange) =>
      pack(status ? selectStatusRange.all(status, after, limit) : selectRange.all(after, limit)),

    archivedPets: ({ after, limit }: { after: bigint; limit: number }): ArchivedRow[] =>
      selectArchived.all(after, limit),

    /** Undefined before the first pet. */
    highestPetId: () => prepare(HIGHEST_ID).get()?.[0] as bigint | undefined,

    /** This reads every pet. Only a copy asks it, which serves no requests. */
    countPets: () => prepare("SELECT count(*) FROM pets").get()[0] as bigint,
  };
}
