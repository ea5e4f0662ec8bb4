import type pg from "pg";

/** Runs statements as one: all of them, or none if any fails. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  statements: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  // A broken connection also fails its statement, and the caller gets that error.
  const ignore = () => {};
  client.on("error", ignore);
  let failure: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await statements(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.off("error", ignore);
    // After a failure this closes the connection, which undoes the transaction.
    client.release(failure);
  }
}
