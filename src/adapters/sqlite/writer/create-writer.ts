import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { ALL_COLUMNS, prepareExact } from "../rows.js";
import type { CreatesResult, Replay, SentCreate } from "./messages.js";
import { Sequence } from "./sequence.js";

/** How many pets one statement stores. A pet then takes half the time that it takes alone. */
const ROWS = 8;

type Recorded = [id: bigint, name: string, categoryId: bigint, status: Replay[3], fingerprint: string];
type Value = bigint | string | null;

/** Stores new pets in the open transaction. */
export class CreateWriter {
  private readonly sequence: Sequence;
  private readonly selectRecorded: StatementSyncInstance;
  private readonly insertOne: StatementSyncInstance;
  private readonly insertRows: StatementSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    this.sequence = new Sequence(database);
    this.selectRecorded = prepareExact(
      database,
      "SELECT id, name, category_id, status, idempotency_fingerprint FROM pets WHERE idempotency_key = ?",
    );
    const insert = (rows: number) =>
      `INSERT INTO pets (${ALL_COLUMNS}) VALUES ${Array(rows).fill("(?, ?, ?, ?, ?, ?)").join()}`;
    this.insertOne = database.prepare(insert(1));
    this.insertRows = database.prepare(insert(ROWS));
  }

  write(creates: readonly SentCreate[]): CreatesResult {
    const last = this.sequence.last();
    const ids: bigint[] = [];
    const replayed: Replay[] = [];
    const rows: Value[][] = [];
    /** The creates of this message that are not stored yet. */
    const byKey = new Map<string, Recorded>();
    for (const [index, create] of creates.entries()) {
      const [name, categoryId, status, key, fingerprint] = create;
      const earlier =
        key !== null && (byKey.get(key) ?? (this.selectRecorded.get(key) as Recorded | undefined));
      if (earlier) {
        ids.push(earlier[0]);
        replayed.push([index, earlier[1], earlier[2], earlier[3], earlier[4]]);
        continue;
      }
      const id = last + BigInt(rows.length) + 1n;
      ids.push(id);
      rows.push([id, name, categoryId, status, key, fingerprint]);
      if (key !== null) byKey.set(key, [id, name, categoryId, status, fingerprint as string]);
    }
    this.insert(rows);
    return { ids, replayed };
  }

  private insert(rows: readonly Value[][]): void {
    const whole = rows.length - (rows.length % ROWS);
    for (let at = 0; at < whole; at += ROWS) this.insertRows.run(...rows.slice(at, at + ROWS).flat());
    for (const row of rows.slice(whole)) this.insertOne.run(...row);
  }
}
