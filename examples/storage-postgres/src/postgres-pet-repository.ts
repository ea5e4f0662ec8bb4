import type { Creation, IdempotencyRecord, NewPet, Pet, PetRange, PetRepository } from "petstore/storage";
import type { Connection } from "./connection.js";

/** The columns of a pet under the names of its members: the driver's row then is a pet. */
const PET = 'id, name, category_id AS "categoryId", status';

const SELECT_ONE = { name: "select-one", text: `SELECT ${PET} FROM pets WHERE id = $1` };
const SELECT_RANGE = {
  name: "select-range",
  text: `SELECT ${PET} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
};
export const SELECT_STATUS_RANGE = {
  name: "select-status-range",
  text: `SELECT ${PET} FROM pets WHERE status = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3`,
};
const SELECT_EARLIER = {
  name: "select-earlier",
  text: `SELECT ${PET}, idempotency_fingerprint AS fingerprint FROM pets WHERE idempotency_key = $1`,
};
/**
 * Stores nothing if the key is there already, and takes no id then; if a create under the same key has not committed
 * yet, it waits for that one.
 */
const INSERT = {
  name: "insert",
  text: `
    INSERT INTO pets (name, category_id, status, idempotency_key, idempotency_fingerprint)
    SELECT $1::text, $2::bigint, $3::text, $4::text, $5::text
    WHERE NOT EXISTS (SELECT FROM pets WHERE idempotency_key = $4)
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING id`,
};

/** Keeps pets in a PostgreSQL database. */
export class PostgresPetRepository implements PetRepository {
  constructor(private readonly connection: Connection) {}

  create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    const values = [name, categoryId, status, record?.key, record?.fingerprint];
    return this.connection.run(async (pool) => {
      const [stored] = (await pool.query<{ id: bigint }>({ ...INSERT, values })).rows;
      if (stored) return { pet: { id: stored.id, name, categoryId, status }, earlierFingerprint: undefined };
      const { rows } = await pool.query({ ...SELECT_EARLIER, values: [values[3]] });
      if (!rows[0]) throw new Error("the pet under this idempotency key has gone");
      const { fingerprint, ...pet } = rows[0];
      return { pet, earlierFingerprint: fingerprint };
    });
  }

  get(id: bigint): Promise<Pet | undefined> {
    return this.connection.run(async (pool) => {
      const { rows } = await pool.query<Pet>({ ...SELECT_ONE, values: [id] });
      return rows[0];
    });
  }

  list({ status, after, limit }: PetRange): Promise<Pet[]> {
    return this.connection.run(async (pool) => {
      const query = status
        ? { ...SELECT_STATUS_RANGE, values: [status, after, limit] }
        : { ...SELECT_RANGE, values: [after, limit] };
      const { rows } = await pool.query<Pet>(query);
      return rows;
    });
  }
}
