import pg from "pg";

/** How long an operation may wait for a connection, a new one or one of the pool, in milliseconds. */
const CONNECT_PATIENCE = 1500;

/** How long a statement may take, in milliseconds. */
const STATEMENT_PATIENCE = 2500;

/** Connections of one process, unless `max` in the URL says otherwise. */
const CONNECTIONS = 10;

/** The type int8; by itself pg answers its values as text. */
const INT8 = pg.types.builtins.INT8;

/** The connections to a database, each with limits: by itself the driver waits for ever. Connects to nothing yet. */
export function makePool(url: string): pg.Pool {
  const { max, schema } = optionsOf(url);
  const pool = new pg.Pool({
    // Tells who uses which schema, in pg_stat_activity.
    application_name: schema ? `petstore ${schema}` : "petstore",
    connectionString: url,
    max: max ?? CONNECTIONS,
    connectionTimeoutMillis: CONNECT_PATIENCE,
    // The first is the client's clock, for a server that is silent; the second the server's own.
    query_timeout: STATEMENT_PATIENCE,
    statement_timeout: STATEMENT_PATIENCE,
    idle_in_transaction_session_timeout: STATEMENT_PATIENCE,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format as "text"),
    },
    onConnect: (client) => prepare(client, schema),
  });
  // A connection emits it if it breaks while nobody uses it. Without a listener the error would end the
  // process. The pool has dropped the connection already, and the next operation makes a new one.
  pool.on("error", () => {});
  return pool;
}

/** Options of the URL that are not the driver's. */
export function optionsOf(url: string): {
  readonly max: number | undefined;
  readonly schema: string | undefined;
} {
  const options = new URLSearchParams(url.split("?")[1]);
  const max = options.get("max");
  return { max: max === null ? undefined : Number(max), schema: options.get("schema") ?? undefined };
}

/** Turns synchronous commits on: a role or database may acknowledge commits before they are on the disk. */
async function prepare(client: pg.ClientBase, schema: string | undefined): Promise<void> {
  const text = `
    SELECT
      CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END,
      CASE WHEN $1::text IS NOT NULL THEN set_config('search_path', $1, false) END`;
  await client.query(text, [schema]);
}
