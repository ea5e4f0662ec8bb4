import { MongoBinary, MongoMemoryServer } from "mongodb-memory-server-core";

let mongod: MongoMemoryServer | undefined;

/** Starts a MongoDB server for all spec files if none is named. Mocha calls this before it starts their processes. */
export async function mochaGlobalSetup(): Promise<void> {
  if (process.env.PETSTORE_TEST_MONGODB_URL || process.env.CI) return;
  console.log("PETSTORE_TEST_MONGODB_URL names no server: looking for a mongod, or downloading one.");
  const late = new Promise<never>((_, reject) => setTimeout(reject, 60_000, new Error("late")).unref());
  try {
    const systemBinary = await Promise.race([MongoBinary.getPath(), late]);
    mongod = await MongoMemoryServer.create({ binary: { systemBinary } });
    process.env.PETSTORE_TEST_MONGODB_URL = mongod.getUri();
  } catch {
    // The end of the run lists the suites that it left out.
  }
}

export async function mochaGlobalTeardown(): Promise<void> {
  await mongod?.stop();
}
