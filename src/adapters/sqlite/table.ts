import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { Stored } from "../../application/archives.js";
import type { IdempotencyRecord } from "../../application/ports/pet-repository.js";
import { unavailable, unavailableOrPermanent } from "./sqlite-errors.js";
import type { Writer } from "./writer.js";

type Value = string | null;
type Parameter = string | bigint | number;

/** A table with its mapping. It has `id`, `idempotency_key` and `idempotency_fingerprint` besides `columns`. */
export interface TableDefinition<Values extends Value[], New, Item> {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that a list can be filtered by, which needs an index. */
  readonly filter: string;
  /** The values of `columns`. Integers are text here and in `toItem`, so that they stay exact. */
  toValues(item: New): Values;
  toItem(row: readonly [id: number, ...values: Values]): Item;
}

type Range = { readonly after: bigint; readonly limit: number };

/** Reads run on the event loop, writes on the writer's thread. */
export function createTable<Values extends Value[], New, Item extends New & { readonly id: bigint }>(
  { name, columns, filter, toValues, toItem }: TableDefinition<Values, New, Item>,
  reader: DatabaseSyncInstance,
  writer: Writer,
) {
  const row = `json_array(id, ${columns.map((column) => `CAST(${column} AS TEXT)`)})`;
  // All rows as one value: per value the driver takes longer than SQLite takes to write JSON.
  const select = (value: string, where: string) =>
    reader.prepare(`SELECT group_concat(value) FROM (SELECT ${value} AS value FROM ${name} WHERE ${where})`);
  const range = "id > ? ORDER BY id LIMIT ?";
  const selectOne = reader.prepare(`SELECT ${row} FROM ${name} WHERE id = ?`);
  const selectRange = select(row, range);
  const selectFilteredRange = select(row, `${filter} = ? AND ${range}`);
  const selectStored = select(`json_array(id, ${row}, idempotency_key, idempotency_fingerprint)`, range);
  const selectByKey = `SELECT ${row}, idempotency_fingerprint FROM ${name} WHERE idempotency_key = ?`;

  const others = [...columns, "idempotency_key", "idempotency_fingerprint"];
  const insert = `INSERT INTO ${name} (${others}) VALUES (${others.map(() => "?")})`;
  // Of an array of rows in JSON.
  const given = others.map((_, index) => `value ->> ${index + 1}`);
  const insertMissing = `INSERT INTO ${name} (id, ${others})
    SELECT value ->> 0, ${given} FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`;
  const selectConflict = reader.prepare(`SELECT json_array(value ->> 0) FROM json_each(?) WHERE NOT EXISTS
    (SELECT 1 FROM ${name} WHERE id = value ->> 0 AND (${others}) IS (${given})) LIMIT 1`);

  const selectCount = reader.prepare(`SELECT json_array(count(*)) FROM ${name}`);
  // There is no row before the first item.
  const ids = `sqlite_sequence WHERE name = '${name}'`;
  const selectHighestId = reader.prepare(`SELECT json_array(seq) FROM ${ids}`);
  const startIds = `INSERT INTO sqlite_sequence SELECT '${name}', 0 WHERE NOT EXISTS (SELECT 1 FROM ${ids})`;
  const raiseIds = `UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = '${name}'`;

  const selectItems = (statement: StatementSyncInstance, ...values: Parameter[]) =>
    read<[number, ...Values]>(statement, ...values).map(toItem);

  return {
    /** Stores an item, unless an earlier create stored one under the same key. */
    async create(item: New, record?: IdempotencyRecord) {
      const values = toValues(item);
      const find = record && ([selectByKey, record.key] as const);
      const write = [insert, ...values, record?.key ?? null, record?.fingerprint ?? null] as const;
      const { found, id } = await writer.run({ find, writes: [write] }).catch(unavailable);
      return found
        ? { item: toItem(JSON.parse(found[0])), earlierFingerprint: found[1] }
        : { item: toItem([id, ...values]), earlierFingerprint: undefined };
    },

    async get(id: bigint): Promise<Item | undefined> {
      return selectItems(selectOne, id)[0];
    },

    async list({ after, limit }: Range, filterValue: string | undefined): Promise<Item[]> {
      return filterValue === undefined
        ? selectItems(selectRange, after, limit)
        : selectItems(selectFilteredRange, filterValue, after, limit);
    },

    async readStored({ after, limit }: Range): Promise<Stored<Item>[]> {
      const rows = read<[number, [number, ...Values], Value, string]>(selectStored, after, limit);
      return rows.map(([, row, key, fingerprint]) => ({
        item: toItem(row),
        record: key === null ? undefined : { key, fingerprint },
      }));
    },

    /** Stores each item that conflicts with no stored one. Resolves to the id of one that does. */
    async store(items: readonly Stored<Item>[]): Promise<bigint | undefined> {
      const toRow = ({ item, record }: Stored<Item>) => [
        String(item.id),
        ...toValues(item),
        record?.key,
        record?.fingerprint,
      ];
      const json = JSON.stringify(items.map(toRow));
      await writer.run({ writes: [[insertMissing, json]] }).catch(unavailableOrPermanent);
      const [conflict] = read<[string]>(selectConflict, json);
      return conflict && BigInt(conflict[0]);
    },

    /** Scans a whole index: not for requests. */
    async count(): Promise<number> {
      return read<[number]>(selectCount)[0]?.[0] ?? 0;
    },

    async highestId(): Promise<bigint> {
      return BigInt(read<[number]>(selectHighestId)[0]?.[0] ?? 0);
    },

    async raiseIds(id: bigint): Promise<void> {
      await writer.run({ writes: [[startIds], [raiseIds, id]] }).catch(unavailableOrPermanent);
    },
  };
}

/** Rows of JSON arrays. Does not block: in WAL mode readers and writers do not wait for each other. */
function read<Row extends [id: number | string, ...unknown[]]>(
  statement: StatementSyncInstance,
  ...values: Parameter[]
): Row[] {
  try {
    const rows: Row[] = JSON.parse(`[${statement.get(...values)?.[0] ?? ""}]`);
    // The order of `group_concat` is undefined, and to have SQLite sort takes longer.
    return rows.sort(([a], [b]) => Number(a) - Number(b));
  } catch (cause) {
    return unavailable(cause);
  }
}
