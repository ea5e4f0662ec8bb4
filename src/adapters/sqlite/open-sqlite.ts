import { existsSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { storageUnavailable } from "../../domain/errors.js";
import type { StorageContext } from "../../storages/storage-adapter.js";
import { identityOf, MOVED, markOf, openToRead } from "./database.js";
import { startError } from "./errors.js";
import { SqlitePetRepository } from "./sqlite-pet-repository.js";
import { Writer } from "./writer/writer.js";

/**
 * Opens a SQLite file, which several processes of one machine may share. It is read on the event loop, and written in a
 * thread, which alone waits for the disk and for locks.
 *
 * @throws Error that says what is wrong with the file and what to do about it
 */
export async function openSqlite(name: string, { mayMake }: StorageContext) {
  const path = resolve(name);
  const file = { path, name, mayMake, wasMade: existsSync(markOf(path)) };
  if (file.wasMade && !existsSync(path)) {
    throw new Error(
      `The SQLite file ${name} is gone; restore it from a backup, or give up its pets: delete ${markOf(name)}.`,
    );
  }
  if (mayMake) {
    await mkdir(dirname(path), { recursive: true }).catch((error) => {
      throw startError(name, error);
    });
  } else {
    await access(path).catch((cause) => {
      throw new Error(`The SQLite file ${name} is not there, or not to be reached; correct the path.`, {
        cause,
      });
    });
  }
  const writer = await Writer.open(file);
  try {
    const reader = openToRead(file);
    const pets = new SqlitePetRepository(writer, reader);
    const identity = identityOf(path);
    if (mayMake && !file.wasMade) await writeFile(markOf(path), "", { mode: 0o600 });
    return {
      pets,
      archive: pets,
      identity,
      async ping() {
        if (identityOf(path) !== identity) throw storageUnavailable(new Error(MOVED));
        await pets.get(0n);
        await writer.ping().catch((cause) => {
          throw storageUnavailable(cause);
        });
      },
      async close() {
        // The driver cannot free statements: it closes the file once they are garbage, or when the process ends.
        reader.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
