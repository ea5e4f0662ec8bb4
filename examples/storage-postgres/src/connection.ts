import { setTimeout as sleep } from "node:timers/promises";
import { isPetConflict, storageUnavailable } from "petstore/storage";
import pg from "pg";
import { identityOf, setUp } from "./set-up.js";

/** How long an operation may take as a whole, in milliseconds: the port grants 5 seconds to a storage over a network. */
const DEADLINE = 4000;

/** How long an operation may wait for a connection, a new one or one of the pool, in milliseconds. */
const CONNECT_PATIENCE = 3000;

/** How long a statement may take, in milliseconds. */
const STATEMENT_PATIENCE = 2500;

/** The type int8; by itself pg answers its values as text. */
const INT8 = pg.types.builtins.INT8;

/**
 * Runs operations on a database that may be away at any time, also at the start. The service itself refuses
 * operations while the database is away, asks it until it answers, and logs the outage.
 */
export class Connection {
  readonly pool: pg.Pool;
  private readonly schema: string | null;
  private prepared: Promise<void> | undefined;
  private underWay = 0;

  /** As `Storage.identity`; undefined until the database was there once. */
  identity: string | undefined;

  /** @throws Error if the driver does not take the URL. */
  constructor(
    url: string,
    private readonly mayMake: boolean,
  ) {
    const options = new URLSearchParams(url.split("?")[1]);
    this.schema = options.get("schema");
    this.pool = makePool(url, Number(options.get("max") ?? 10), this.schema);
  }

  /** @throws PetstoreError `storage_unavailable`, within 5 seconds; PetConflict */
  async run<Result>(operation: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
    this.underWay++;
    try {
      return await within(
        DEADLINE,
        this.prepare().then(() => operation(this.pool)),
      );
    } catch (error) {
      throw isPetConflict(error) ? error : storageUnavailable(error);
    } finally {
      this.underWay--;
    }
  }

  /**
   * Sets the database up if it is not yet, once for all callers. If that fails, the next call tries again.
   *
   * @throws UnusableDatabase, or the driver's error
   */
  prepare(): Promise<void> {
    this.prepared ??= this.findTable().catch((error) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async findTable(): Promise<void> {
    await setUp(this.pool, this.schema, this.mayMake);
    this.identity = await identityOf(this.pool);
  }

  /** Lets operations finish, within their deadlines, and disconnects. Gives up a connection that hangs. */
  async close(): Promise<void> {
    while (this.underWay > 0) await sleep(5);
    await within(DEADLINE, this.pool.end()).catch(() => undefined);
  }
}

/** The connections to a database, each with limits: by itself the driver waits for ever. Connects to nothing yet. */
export function makePool(url: string, max: number, schema: string | null): pg.Pool {
  const pool = new pg.Pool({
    application_name: "petstore",
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_PATIENCE,
    // The first is the client's clock, for a server that is silent; the second the server's own.
    query_timeout: STATEMENT_PATIENCE,
    statement_timeout: STATEMENT_PATIENCE,
    idle_in_transaction_session_timeout: STATEMENT_PATIENCE,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format as "text"),
    },
    async onConnect(client) {
      // A role or database may acknowledge commits before they are on the disk.
      await client.query("SET synchronous_commit = on");
      if (schema !== null) await client.query(`SET search_path = ${schema}`);
    },
  });
  // A connection emits it if it breaks while nobody uses it. Without a listener the error would end the
  // process. The pool has dropped the connection already, and the next operation makes a new one.
  pool.on("error", () => {});
  return pool;
}

/** Settles as the work does, or rejects after `milliseconds`. The work then goes on, and nobody awaits it. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
