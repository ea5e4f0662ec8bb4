import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import type {
  Creation,
  IdempotencyRecord,
  PetRange,
  PetRepository,
} from "../../application/ports/pet-repository.js";
import { storageUnavailable } from "../../domain/errors.js";
import type { NewPet, Pet } from "../../domain/pet.js";
import { isBusy, openDatabase } from "./database.js";
import { PageCache } from "./page-cache.js";

/** How long an operation waits for a lock that another process holds, in milliseconds. */
const PATIENCE = 4000;

/** How long to wait before the lock is asked for again, in milliseconds. */
const RETRY_INTERVAL = 10;

interface WaitingCreate {
  readonly pet: NewPet;
  readonly record: IdempotencyRecord | undefined;
  readonly deadline: number;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: Error) => void;
}

type PetRow = [id: bigint, name: string, categoryId: bigint, status: Pet["status"]];
type RecordedRow = [...PetRow, fingerprint: string];

const COLUMNS = "id, name, category_id, status";

/**
 * Keeps pets in a SQLite file, which several processes of one machine may share. Creates that arrive together
 * are committed together, and answered once they are on the disk.
 */
export class SqlitePetRepository implements PetRepository {
  private waiting: WaitingCreate[] = [];
  private readonly insert: StatementSyncInstance;
  private readonly selectRecorded: StatementSyncInstance;
  private readonly selectOne: StatementSyncInstance;
  private readonly selectRange: StatementSyncInstance;
  private readonly selectStatusRange: StatementSyncInstance;
  private readonly selectVersion: StatementSyncInstance;
  private readonly pages = new PageCache();

  private constructor(private readonly database: DatabaseSyncInstance) {
    function prepare(sql: string): StatementSyncInstance {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      return statement;
    }
    this.insert = prepare(
      "INSERT INTO pets (name, category_id, status, idempotency_key, idempotency_fingerprint) VALUES (?, ?, ?, ?, ?)",
    );
    this.selectRecorded = prepare(
      `SELECT ${COLUMNS}, idempotency_fingerprint FROM pets WHERE idempotency_key = ?`,
    );
    this.selectOne = prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`);
    this.selectRange = prepare(`SELECT ${COLUMNS} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
    this.selectStatusRange = prepare(
      `SELECT ${COLUMNS} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
    );
    // Changes with every commit of another connection (sqlite.org/pragma.html#pragma_data_version).
    this.selectVersion = prepare("PRAGMA data_version");
  }

  /** @throws Error that says what is wrong with the file and what to do about it. */
  static async open(path: string): Promise<SqlitePetRepository> {
    return new SqlitePetRepository(await openDatabase(path));
  }

  create(pet: NewPet, record?: IdempotencyRecord): Promise<Creation> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + PATIENCE;
      // Copies: the caller may change its objects before these are stored.
      this.waiting.push({ pet: { ...pet }, record: record && { ...record }, deadline, resolve, reject });
      // What else has arrived by now shares the commit: it is read in the loop's next turn, and handled in the one after.
      if (this.waiting.length === 1) setImmediate(() => setImmediate(this.commitWaiting));
    });
  }

  async get(id: bigint): Promise<Pet | undefined> {
    const row = await read(() => this.selectOne.get(id) as PetRow | undefined);
    return row && toPet(row);
  }

  async list(range: PetRange): Promise<Pet[]> {
    return await read(() => this.pages.list(range, this.selectVersion.get()[0], this.selectPage));
  }

  private readonly selectPage = ({ status, after, limit }: PetRange): Pet[] => {
    const rows: PetRow[] = status
      ? this.selectStatusRange.all(status, after, limit)
      : this.selectRange.all(after, limit);
    return rows.map(toPet);
  };

  async ping(): Promise<void> {
    await this.get(0n);
  }

  /** The driver lets go of the file once the statements are garbage, or the process ends: it cannot free them. */
  async close(): Promise<void> {
    while (this.waiting.length > 0) await sleep(RETRY_INTERVAL);
    try {
      // Whatever keeps the -wal file at the end, a copy of the database alone is then whole.
      this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: the -wal file keeps it, and the next start reads it.
    }
    this.database.close();
  }

  private readonly commitWaiting = (): void => {
    const batch = this.waiting;
    try {
      const creations = this.commit(batch);
      this.waiting = [];
      batch.forEach(({ resolve }, index) => {
        resolve(creations[index] as Creation);
      });
    } catch (error) {
      const now = isBusy(error) ? performance.now() : Infinity;
      this.waiting = batch.filter(({ deadline }) => deadline > now);
      for (const { deadline, reject } of batch) if (deadline <= now) reject(storageUnavailable(error));
      if (this.waiting.length > 0) setTimeout(this.commitWaiting, RETRY_INTERVAL);
    }
  };

  /** Stores all or none. */
  private commit(batch: readonly WaitingCreate[]): Creation[] {
    try {
      this.database.exec("BEGIN IMMEDIATE");
      const creations = batch.map(({ pet, record }) => this.store(pet, record));
      this.database.exec("COMMIT");
      return creations;
    } catch (error) {
      // Some failures, a full disk among them, have rolled back by themselves.
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
      throw error;
    }
  }

  private store(pet: NewPet, record: IdempotencyRecord | undefined): Creation {
    const earlier = record && (this.selectRecorded.get(record.key) as RecordedRow | undefined);
    if (earlier) return { pet: toPet(earlier), replayed: earlier[4] };
    const { name, categoryId, status } = pet;
    const { lastInsertRowid } = this.insert.run(
      name,
      categoryId,
      status,
      record?.key ?? null,
      record?.fingerprint ?? null,
    );
    return { pet: { id: BigInt(lastInsertRowid), name, categoryId, status }, replayed: undefined };
  }
}

/** Reads seldom wait in WAL mode: only while another process opens, recovers or closes the file. */
async function read<Rows>(query: () => Rows): Promise<Rows> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return query();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw storageUnavailable(error);
      await sleep(RETRY_INTERVAL);
    }
  }
}

function toPet([id, name, categoryId, status]: PetRow | RecordedRow): Pet {
  return { id, name, categoryId, status };
}
