import type { StorageContext } from "../../application/ports/storage.js";
import { Connection, limited } from "./connection.js";
import { RefusedError } from "./errors.js";
import { MongodbPetRepository } from "./mongodb-pet-repository.js";
import { MalformedDocuments } from "./reading.js";

/** How long a start waits for the database before it goes on without, in milliseconds. */
const START_PATIENCE = 3000;

/**
 * Connects to a database, which any number of processes on any number of machines may share. Goes on without the database
 * if that cannot be used yet.
 *
 * @param url `mongodb://` or `mongodb+srv://`, with the database in its path, or else `petstore`
 * @throws Error if the database has no pets and may not be made
 */
export async function openMongodb(url: string, { log, addReading, mayMake }: StorageContext) {
  const connection = new Connection(url, log, mayMake);
  const malformed = new MalformedDocuments(log);
  const pets = new MongodbPetRepository(connection, malformed);
  await limited(START_PATIENCE, connection.ping()).catch(async (error) => {
    if (!(error instanceof RefusedError)) return;
    await connection.close();
    throw error;
  });
  addReading({
    name: "petstore_mongodb_malformed_documents_total",
    help: "Documents that another writer left malformed, counted each time one is skipped.",
    type: "counter",
    read: () => malformed.skipped,
  });
  return {
    pets,
    archive: pets,
    unarchived: () => pets.unarchived(),
    get identity() {
      return connection.identity;
    },
    ping: () => connection.ping(),
    close: () => connection.close(),
  };
}
