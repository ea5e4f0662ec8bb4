import { MongoClient } from "mongodb";
import { MongoBinary, MongoMemoryServer } from "mongodb-memory-server-core";
import { leaveOut } from "./left-out.js";

/** How long the tests may take to fetch and start a mongod if no server is named, in milliseconds. */
const FETCH_PATIENCE = 60_000;

const HOW_TO =
  "set PETSTORE_TEST_MONGODB_URL, e.g. mongodb://127.0.0.1:27017/petstore_test, to a server that may be used for tests";

/** The URL of the server for all spec files of this process; undefined if there is none. */
const server = await findServer();

async function findServer(): Promise<string | undefined> {
  const named = process.env.PETSTORE_TEST_MONGODB_URL;
  if (named) return named;
  if (process.env.CI) return undefined;
  console.log("PETSTORE_TEST_MONGODB_URL names no server: looking for a mongod, or downloading one.");
  const late = new Promise<never>((_, reject) =>
    setTimeout(reject, FETCH_PATIENCE, new Error("late")).unref(),
  );
  try {
    const systemBinary = await Promise.race([MongoBinary.getPath(), late]);
    const mongod = await MongoMemoryServer.create({ binary: { systemBinary } });
    after(() => mongod.stop());
    return mongod.getUri();
  } catch {
    leaveOut("MongoDB", `no mongod could be downloaded; ${HOW_TO}`);
    return undefined;
  }
}

/**
 * Registers a suite that needs a MongoDB server. Without one it leaves the suite out, or in CI fails.
 *
 * @param suite gets the URL of a database of its own, which the hooks drop before and after
 */
export function describeWithMongodb(title: string, suite: (url: string) => void): void {
  if (server) {
    const url = databaseUrl(server, title);
    describe(title, () => {
      before(() => dropDatabase(url));
      suite(url);
      after(() => dropDatabase(url));
    });
  } else if (process.env.CI) {
    describe(title, () => {
      it("has a MongoDB server to run on", () => {
        throw new Error(`No server is named: ${HOW_TO}.`);
      });
    });
  } else {
    describe.skip(title, () => suite("mongodb://127.0.0.1/petstore_test"));
  }
}

/** The URL of a database that no other suite uses, even if the tests run twice at once. */
function databaseUrl(url: string, title: string): string {
  const [, base, name, options = ""] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/([^?]*))?(\?.*)?$/.exec(url) ?? [];
  if (base === undefined) throw new Error("PETSTORE_TEST_MONGODB_URL is not a MongoDB URL.");
  if (name && !name.includes("test")) {
    throw new Error(
      "PETSTORE_TEST_MONGODB_URL names a database without `test` in its name; tests delete what is in it.",
    );
  }
  const suffix = title.replace(/\W+/g, "_").toLowerCase().slice(0, 24);
  return `${base}/${name || "petstore_test"}_${suffix}_${process.pid}${options}`;
}

export async function dropDatabase(url: string): Promise<void> {
  await withDatabase(url, (database) => database.dropDatabase());
}

/** Lends the database of a URL as another program sees it. */
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
