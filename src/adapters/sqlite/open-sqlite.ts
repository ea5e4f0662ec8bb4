import { DatabaseSync } from "@photostructure/sqlite";
import type { Storage, StorageContext } from "../../application/storage-adapter.js";
import { unavailable, unusable } from "./sqlite-errors.js";
import { createPetRepository } from "./sqlite-pet-repository.js";
import { Writer } from "./writer.js";

/** Opens a file, which processes of the same machine may share. @throws Error that says how to fix it */
export async function openSqlite(path: string, { mayMake }: Pick<StorageContext, "mayMake">) {
  const writer = await Writer.open({ path, mayMake });
  try {
    const reader = new DatabaseSync(path, { returnArrays: true });
    const pets = createPetRepository(reader, writer);
    return {
      pets,
      archive: pets,
      async ping() {
        await writer.run([]).catch(unavailable);
      },
      async close() {
        await writer.close();
        reader.close();
      },
    } satisfies Storage;
  } catch (error) {
    await writer.close();
    throw unusable(path, error);
  }
}
