import { MongoClient } from "mongodb";
import { describeIf } from "./left-out.js";

const HOW_TO =
  "set PETSTORE_TEST_MONGODB_URL, e.g. mongodb://127.0.0.1:27017/petstore_test, to a server that may be used for tests";

/**
 * Registers a suite that needs a MongoDB server. Without one it leaves the suite out, or in CI fails.
 * @param suite gets the URL of a fresh database, which the hooks drop before and after
 */
export function describeWithMongodb(title: string, suite: (url: string) => void): void {
  const server = process.env.PETSTORE_TEST_MONGODB_URL;
  const url = databaseUrl(server ?? "mongodb://127.0.0.1/petstore_test", title);
  describeIf(Boolean(server), title, "MongoDB", HOW_TO, () => {
    before(() => dropDatabase(url));
    suite(url);
    after(() => dropDatabase(url));
  });
}

/** Returns the URL of a database that no other suite uses, even if the tests run twice at once. */
function databaseUrl(server: string, title: string): string {
  const url = new URL(server);
  const name = url.pathname.slice(1) || "petstore_test";
  // Tests delete the content of the database.
  if (!name.includes("test")) throw new Error("PETSTORE_TEST_MONGODB_URL names a database without `test`.");
  url.pathname = `${name}_${title.replace(/\W+/g, "_").toLowerCase().slice(0, 24)}_${process.pid}`;
  return url.href;
}

export async function dropDatabase(url: string): Promise<void> {
  await withDatabase(url, (database) => database.dropDatabase());
}

export async function withDatabase<Result>(
  url: string,
  use: (database: ReturnType<MongoClient["db"]>) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(url, { useBigInt64: true, serverSelectionTimeoutMS: 5000 });
  try {
    return await use(client.db());
  } finally {
    await client.close();
  }
}
