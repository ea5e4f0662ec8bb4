import type { Storage, StorageContext } from "../../application/storage-adapter.js";
import { openToRead } from "./database.js";
import { unavailable, unusable } from "./sqlite-errors.js";
import { SqlitePetRepository } from "./sqlite-pet-repository.js";
import { Writer } from "./writer.js";

/** Opens a file, which processes of the same machine may share. @throws Error that says how to correct it */
export async function openSqlite(path: string, { mayMake }: Pick<StorageContext, "mayMake">) {
  const writer = await Writer.open({ path, mayMake });
  try {
    const reader = openToRead(path);
    const pets = new SqlitePetRepository(reader, writer);
    return {
      pets,
      archive: pets,
      async ping() {
        await pets.get(0n);
        await writer.run({ name: "ping" }).catch(unavailable);
      },
      async close() {
        reader.close();
        await writer.close();
      },
    } satisfies Storage;
  } catch (error) {
    await writer.close();
    throw unusable(path, error);
  }
}
