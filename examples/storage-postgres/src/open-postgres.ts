import type { Storage, StorageContext } from "petstore/storage";
import * as archive from "./archive.js";
import { Connection } from "./connection.js";
import * as pets from "./pets.js";
import { UnusableDatabase } from "./set-up.js";

/** Opens a database, even if it does not respond yet. @throws UnusableDatabase */
export async function openPostgres(url: string, { addReading, mayMake }: StorageContext): Promise<Storage> {
  const connection = new Connection(url, mayMake);
  const ping = () => connection.run(async (pool) => void (await pool.query("SELECT 1")));
  await ping().catch(async ({ cause }) => {
    if (!(cause instanceof UnusableDatabase)) return;
    await connection.close();
    throw cause;
  });
  addReading({
    name: "petstore_postgres_connections",
    help: "Open connections to PostgreSQL.",
    type: "gauge",
    read: () => connection.pool.totalCount,
  });
  return {
    pets: {
      create: (pet, record) => connection.run(pets.create(pet, record)),
      get: (id) => connection.run((pool) => pets.get(pool, id)),
      list: (range) => connection.run((pool) => pets.list(pool, range)),
    },
    archive: {
      readPets: ({ after, limit }) => connection.run((pool) => archive.readPets(pool, after, limit)),
      storePets: (pets) => connection.run((pool) => archive.storePets(pool, pets)),
      countPets: () => connection.run(archive.countPets),
      highestId: () => connection.run(archive.highestId),
      raiseIds: (id) => connection.run((pool) => archive.raiseIds(pool, id)),
    },
    ping,
    close: () => connection.close(),
  };
}
