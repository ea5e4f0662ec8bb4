import type { Storage, StorageContext } from "petstore/storage";
import * as archive from "./archive.js";
import { Connection, within } from "./connection.js";
import { PostgresPetRepository } from "./postgres-pet-repository.js";
import { UnusableDatabase } from "./set-up.js";

/** How long a start waits for the database before it goes on without, in milliseconds. */
const START_PATIENCE = 3000;

/**
 * Connects to a database, which any number of processes on any number of machines may share. If it does not answer yet,
 * goes on without.
 *
 * @throws Error if the driver does not take the URL, or the database cannot be used as it stands.
 */
export async function openPostgres(url: string, { addReading, mayMake }: StorageContext): Promise<Storage> {
  const connection = new Connection(url, mayMake);
  try {
    await within(START_PATIENCE, connection.prepare());
  } catch (error) {
    if (error instanceof UnusableDatabase) {
      await connection.close();
      throw error;
    }
  }
  addReading({
    name: "petstore_postgres_connections",
    help: "Connections to PostgreSQL that are open.",
    type: "gauge",
    read: () => connection.pool.totalCount,
  });
  addReading({
    name: "petstore_postgres_waiting",
    help: "Operations that wait for a connection to PostgreSQL.",
    type: "gauge",
    read: () => connection.pool.waitingCount,
  });
  const pets = new PostgresPetRepository(connection);
  return {
    pets,
    archive: {
      readPets: (range) => connection.run((pool) => archive.readPets(pool, range)),
      storePets: (pets) => connection.run((pool) => archive.storePets(pool, pets)),
      countPets: () => connection.run(archive.countPets),
      highestId: () => connection.run(archive.highestId),
      raiseIds: (id) => connection.run((pool) => archive.raiseIds(pool, id)),
    },
    get identity() {
      return connection.identity;
    },
    ping: async () => void (await pets.get(0n)),
    close: () => connection.close(),
  };
}
