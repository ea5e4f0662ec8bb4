import { resolve } from "node:path";
import type { StorageContext } from "../../application/ports/storage.js";
import { storageUnavailable } from "../../domain/errors.js";
import { SqlitePetRepository } from "./sqlite-pet-repository.js";
import { DatabaseThread } from "./threads/database-thread.js";
import type { Operations } from "./threads/operations.js";

/**
 * Opens a SQLite file, which several processes of one machine may share. One thread reads it and one writes it: only they
 * wait for the disk and for locks.
 *
 * @throws Error that says what is wrong with the file and what to do about it
 */
export async function openSqlite(name: string, { mayMake }: StorageContext) {
  const file = { path: resolve(name), name, mayMake };
  const writer = await DatabaseThread.open<Operations<"write">>("write", file);
  try {
    const reader = await DatabaseThread.open<Operations<"read">>("read", file);
    const pets = new SqlitePetRepository(writer, reader);
    return {
      pets,
      archive: pets,
      identity: writer.identity,
      async ping() {
        await Promise.all([reader.ping(), writer.ping()]).catch((cause) => {
          throw storageUnavailable(cause);
        });
      },
      async close() {
        await reader.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
