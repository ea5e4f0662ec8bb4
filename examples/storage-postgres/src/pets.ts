import type { Creation, IdempotencyRecord, NewPet, Pet, PetRange } from "petstore/storage";
import type pg from "pg";

/** Selects the columns of a pet under the names of its members, so that the driver's row is a pet. */
export const PET = 'id, name, category_id AS "categoryId", status';

// Statements with a name are prepared once for each connection.
const SELECT_ONE = { name: "one", text: `SELECT ${PET} FROM pets WHERE id = $1` };
const SELECT_RANGE = { name: "range", text: `SELECT ${PET} FROM pets WHERE id > $1 ORDER BY id LIMIT $2` };
export const SELECT_STATUS_RANGE = {
  name: "status-range",
  text: `SELECT ${PET} FROM pets WHERE status = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3`,
};
const SELECT_EARLIER = {
  name: "earlier",
  text: `SELECT ${PET}, idempotency_fingerprint AS fingerprint FROM pets WHERE idempotency_key = $1`,
};
/** Waits for a create under the same key that has not committed yet; stores nothing if the key exists. */
const INSERT = {
  name: "insert",
  text: `
    INSERT INTO pets (name, category_id, status, idempotency_key, idempotency_fingerprint)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
};

export function create({ name, categoryId, status }: NewPet, record?: IdempotencyRecord) {
  // Read now: the caller may change its objects before there is a connection.
  const values = [name, categoryId, status, record?.key, record?.fingerprint];
  return async (pool: pg.Pool): Promise<Creation> => {
    const [stored] = (await pool.query<{ id: bigint }>({ ...INSERT, values })).rows;
    if (stored) return { pet: { id: stored.id, name, categoryId, status }, earlierFingerprint: undefined };
    const { rows } = await pool.query({ ...SELECT_EARLIER, values: [values[3]] });
    if (!rows[0]) throw new Error("the pet under this idempotency key has gone");
    const { fingerprint, ...pet } = rows[0];
    return { pet, earlierFingerprint: fingerprint };
  };
}

export async function get(pool: pg.Pool, id: bigint): Promise<Pet | undefined> {
  return (await pool.query<Pet>({ ...SELECT_ONE, values: [id] })).rows[0];
}

export async function list(pool: pg.Pool, { status, after, limit }: PetRange): Promise<Pet[]> {
  const query = status
    ? { ...SELECT_STATUS_RANGE, values: [status, after, limit] }
    : { ...SELECT_RANGE, values: [after, limit] };
  return (await pool.query<Pet>(query)).rows;
}
