import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type { PetStatus } from "../../../../domain/pet.js";
import { ALL_COLUMNS, prepareExact } from "../../rows.js";
import { type CreatesResult, type Replay, type SentValue, VALUES } from "../messages.js";
import { Sequence } from "./sequence.js";

/** How many pets one statement stores. A pet then takes half the time that it takes alone. */
const ROWS = 8;

/** The number of columns of a row: the id, and the values that were sent. */
const COLUMNS = 1 + VALUES;

type Recorded = [id: bigint, name: string, categoryId: bigint, status: PetStatus, fingerprint: string];

/** Stores new pets in the open transaction, which `committer.ts` begins and commits. */
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

  write(values: readonly SentValue[]): CreatesResult {
    const first = this.sequence.last() + 1n;
    let id = first;
    const replayed: Replay[] = [];
    const rows: SentValue[] = [];
    /** The creates of this message that are not stored yet. */
    const byKey = new Map<SentValue, Recorded>();
    for (let at = 0; at < values.length; at += VALUES) {
      const key = values[at + 3] as string | null;
      if (key !== null) {
        const earlier = byKey.get(key) ?? (this.selectRecorded.get(key) as Recorded | undefined);
        if (earlier) {
          replayed.push([at / VALUES, ...earlier]);
          continue;
        }
        const [name, categoryId, status, , fingerprint] = values.slice(at, at + VALUES) as [
          string,
          bigint,
          PetStatus,
          string,
          string,
        ];
        byKey.set(key, [id, name, categoryId, status, fingerprint]);
      }
      rows.push(id++);
      for (let n = 0; n < VALUES; n++) rows.push(values[at + n] as SentValue);
    }
    this.insert(rows);
    return { first, replayed };
  }

  private insert(rows: readonly SentValue[]): void {
    let at = 0;
    for (const end = rows.length - ROWS * COLUMNS; at <= end; at += ROWS * COLUMNS)
      this.insertRows.run(...rows.slice(at, at + ROWS * COLUMNS));
    for (; at < rows.length; at += COLUMNS) this.insertOne.run(...rows.slice(at, at + COLUMNS));
  }
}
