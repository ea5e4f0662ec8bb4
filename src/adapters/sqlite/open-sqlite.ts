import { access, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { storageUnavailable } from "../../domain/errors.js";
import type { StorageContext } from "../../storages/storage-adapter.js";
import { startError } from "./errors.js";
import { Reader } from "./reader.js";
import { SqlitePetRepository } from "./sqlite-pet-repository.js";
import { Writer } from "./writer/writer.js";

/**
 * Opens a SQLite file, which several processes of one machine may share. It is read on the event loop, and written in a
 * thread, which alone waits for the disk and for locks.
 *
 * @throws Error that says what is wrong with the file and what to do about it
 */
export async function openSqlite(name: string, { addReading, mayMake }: StorageContext) {
  const file = { path: resolve(name), name, mayMake };
  if (mayMake) {
    await mkdir(dirname(file.path), { recursive: true }).catch((error) => {
      throw startError(name, error);
    });
  } else {
    await access(file.path).catch((cause) => {
      throw new Error(`The SQLite file ${name} is not there, or not to be reached; correct the path.`, {
        cause,
      });
    });
  }
  const writer = await Writer.open(file);
  try {
    const reader = new Reader(file);
    const pets = new SqlitePetRepository(writer, reader);
    // A file is the same under any path that leads to it: symbolic links, hard links, other spellings.
    const { dev, ino } = await stat(file.path, { bigint: true });
    for (const reading of writer.commits.readings) addReading(reading);
    return {
      pets,
      archive: pets,
      identity: `${dev} ${ino}`,
      async ping() {
        await reader.get(0n);
        await writer.ping().catch((cause) => {
          throw storageUnavailable(cause);
        });
      },
      async close() {
        reader.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}
