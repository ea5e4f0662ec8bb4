import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { type PetArchive, PetConflict } from "../../application/ports/pet-archive.js";
import type { PetRepository } from "../../application/ports/pet-repository.js";
import type { Pet, PetStatus } from "../../domain/pet.js";
import { unavailable, unavailableOrPermanent } from "./sqlite-errors.js";
import type { Writer } from "./writer.js";

// Rows come as one JSON text, since the driver takes longer per value than SQLite takes to write JSON.
// Numbers stay exact: `id` is below 2^53, and `category_id` is text.
const PET = "json_array(id, name, CAST(category_id AS TEXT), status)";
type PetRow = readonly [id: number, name: string, categoryId: string, status: PetStatus];
const ARCHIVED_PET = `json_array(id, ${PET}, idempotency_key, idempotency_fingerprint)`;
type ArchivedPetRow = readonly [id: number, pet: PetRow, key: string | null, fingerprint: string];

const INSERT_PET = "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)";
const INSERT_PET_ONCE = `INSERT INTO pets (name, category_id, status, idempotency_key, idempotency_fingerprint)
  SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM pets WHERE idempotency_key = ?4)`;

// Inserts the rows of a JSON array, each an array with the values of all columns.
const INSERT_MISSING_PETS = `INSERT INTO pets
    (id, name, category_id, status, idempotency_key, idempotency_fingerprint)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
  FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`;

// SQLite itself adds this row with the first pet.
const START_IDS = `INSERT INTO sqlite_sequence
  SELECT 'pets', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'pets')`;
const RAISE_IDS = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'pets'";

/** Keeps pets in a SQLite file. Reads run on the event loop, writes on the writer's thread. */
export function createPetRepository(
  reader: DatabaseSyncInstance,
  writer: Writer,
): PetRepository & PetArchive {
  const selectPet = reader.prepare(`SELECT ${PET} FROM pets WHERE id = ?`);
  const selectPage = reader.prepare(`SELECT group_concat(pet) FROM
    (SELECT ${PET} AS pet FROM pets WHERE id > ? ORDER BY id LIMIT ?)`);
  const selectByStatus = reader.prepare(`SELECT group_concat(pet) FROM
    (SELECT ${PET} AS pet FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?)`);
  const selectByKey = reader.prepare(`SELECT ${ARCHIVED_PET} FROM pets WHERE idempotency_key = ?`);
  const selectArchivedPage = reader.prepare(`SELECT group_concat(pet) FROM
    (SELECT ${ARCHIVED_PET} AS pet FROM pets WHERE id > ? ORDER BY id LIMIT ?)`);
  const selectConflict = reader.prepare(`SELECT value ->> 0 FROM json_each(?) WHERE NOT EXISTS
    (SELECT 1 FROM pets WHERE id = value ->> 0
      AND (name, category_id, status, idempotency_key, idempotency_fingerprint)
        IS (value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5)) LIMIT 1`);
  const selectCount = reader.prepare("SELECT count(*) FROM pets");
  const selectHighestId = reader.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'");

  return {
    async create({ name, categoryId, status }, record) {
      const key = record?.key;
      const insert = record
        ? ([INSERT_PET_ONCE, name, categoryId, status, record.key, record.fingerprint] as const)
        : ([INSERT_PET, name, categoryId, status] as const);
      const { changes, lastInsertRowid } = await writer.run([insert]).catch(unavailable);
      const pet = { id: BigInt(lastInsertRowid), name, categoryId, status };
      if (key === undefined || changes > 0) return { pet, earlierFingerprint: undefined };
      const found = read(selectByKey, key) ?? unavailable(new Error("The pet is gone."));
      const [, earlier, , earlierFingerprint]: ArchivedPetRow = JSON.parse(found);
      return { pet: toPet(earlier), earlierFingerprint };
    },

    async get(id) {
      const row = read(selectPet, id);
      return row === undefined ? undefined : toPet(JSON.parse(row));
    },

    async list({ status, after, limit }) {
      const rows =
        status === undefined ? read(selectPage, after, limit) : read(selectByStatus, status, after, limit);
      return parse<PetRow>(rows).map(toPet);
    },

    async readPets({ after, limit }) {
      const rows = parse<ArchivedPetRow>(read(selectArchivedPage, after, limit));
      return rows.map(([, pet, key, fingerprint]) => ({
        pet: toPet(pet),
        record: key === null ? undefined : { key, fingerprint },
      }));
    },

    async storePets(pets) {
      const rows = pets.map(({ pet: { id, name, categoryId, status }, record }) => {
        return [`${id}`, name, `${categoryId}`, status, record?.key, record?.fingerprint];
      });
      const json = JSON.stringify(rows);
      await writer.run([[INSERT_MISSING_PETS, json]]).catch(unavailableOrPermanent);
      const conflict = read(selectConflict, json);
      if (conflict !== undefined) throw new PetConflict(BigInt(conflict));
    },

    async countPets() {
      return Number(read(selectCount));
    },

    async highestId() {
      return BigInt(read(selectHighestId) ?? 0);
    },

    async raiseIds(id) {
      await writer.run([[START_IDS], [RAISE_IDS, id]]).catch(unavailableOrPermanent);
    },
  };
}

function toPet([id, name, categoryId, status]: PetRow): Pet {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), status };
}

/** Returns the only value of a query; undefined if there is none. In WAL mode a read waits for no writer. */
function read(statement: StatementSyncInstance, ...values: (string | bigint | number)[]): string | undefined {
  try {
    return statement.get(...values)?.[0] ?? undefined;
  } catch (cause) {
    return unavailable(cause);
  }
}

/** Sorts the rows of a `group_concat`, since their order is undefined. SQLite takes longer to sort. */
function parse<Row extends PetRow | ArchivedPetRow>(rows = ""): Row[] {
  const parsed: Row[] = JSON.parse(`[${rows}]`);
  return parsed.sort(([a], [b]) => a - b);
}
