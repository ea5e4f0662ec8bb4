import mongodb from "../../src/adapters/mongodb/mongodb-adapter.js";
import { SILENT_CONTEXT, type StorageContext } from "../../src/application/storage-adapter.js";

export async function openMongodb(url: string, context: Partial<StorageContext> = {}) {
  const { archive, ...storage } = await mongodb.open(url, { ...SILENT_CONTEXT, ...context });
  if (!archive) throw new Error("the storage has no archive");
  return { ...storage, archive };
}

export type MongodbStorage = Awaited<ReturnType<typeof openMongodb>>;
