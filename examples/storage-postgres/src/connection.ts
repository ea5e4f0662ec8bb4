import { isPetConflict, storageUnavailable } from "petstore/storage";
import pg from "pg";
import { setUp } from "./set-up.js";

// Limits in milliseconds. The port grants an operation 5 s; by default the driver waits for ever.
const OPERATION_LIMIT = 4000;
const CONNECT_LIMIT = 3000;
const STATEMENT_LIMIT = 2500;

/** Runs operations on a database that may be down at any time, also at the start. */
export class Connection {
  readonly pool: pg.Pool;
  private readonly schema: string | null;
  private ready: Promise<void> | undefined;
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    url: string,
    private readonly mayMake: boolean,
  ) {
    const options = new URLSearchParams(url.split("?")[1]);
    this.schema = options.get("schema");
    this.pool = makePool(url, Number(options.get("max") ?? 10), this.schema);
  }

  /** @throws PetstoreError `storage_unavailable`, within 5 seconds; PetConflict */
  async run<Answer>(operation: (pool: pg.Pool) => Promise<Answer>): Promise<Answer> {
    const work = inTime(this.setUp().then(() => operation(this.pool)));
    this.running.add(work);
    try {
      return await work;
    } catch (error) {
      throw isPetConflict(error) ? error : storageUnavailable(error);
    } finally {
      this.running.delete(work);
    }
  }

  /** Sets the database up once for all callers; after a failure the next call tries again. */
  private setUp(): Promise<void> {
    this.ready ??= setUp(this.pool, this.schema, this.mayMake).catch((error) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  /** Waits for running operations, and disconnects. Abandons a connection that hangs. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running);
    await inTime(this.pool.end()).catch(() => undefined);
  }
}

function makePool(url: string, max: number, schema: string | null): pg.Pool {
  const { builtins, getTypeParser } = pg.types;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_LIMIT,
    // The client's clock ends the wait for a silent server; the server's ends the statement itself.
    query_timeout: STATEMENT_LIMIT,
    statement_timeout: STATEMENT_LIMIT,
    // By default pg returns int8 as text.
    types: { getTypeParser: (oid, format) => (oid === builtins.INT8 ? BigInt : getTypeParser(oid, format)) },
    async onConnect(client) {
      // A role or database may acknowledge commits before they are on the disk.
      await client.query("SET synchronous_commit = on");
      if (schema !== null) await client.query(`SET search_path = ${schema}`);
    },
  });
  // Without a listener, a connection that breaks while it is idle would end the process. The pool replaces it.
  pool.on("error", () => {});
  return pool;
}

/** Settles as the work does, or rejects after the limit and abandons the work. */
function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = new Error(`no response within ${OPERATION_LIMIT} ms`);
    const timer = setTimeout(() => reject(late), OPERATION_LIMIT);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
