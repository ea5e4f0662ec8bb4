/** A process that uses a SQLite file: `node sqlite-process.js TASK PATH`. It prints a line once it is ready. */
import { once } from "node:events";
import { DatabaseSync } from "@photostructure/sqlite";
import { messageOf } from "../../support/code-of.js";
import { openSqlite } from "../../support/open-sqlite.js";

const [task = "", path = ""] = process.argv.slice(2);

/** Holds the write lock until the standard input ends. */
async function lock(): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec("BEGIN IMMEDIATE");
  console.log("locked");
  await once(process.stdin.resume(), "end");
  database.close();
}

/** Creates 20 pets. Prints "created", or why not. */
async function create(): Promise<void> {
  async function createAll() {
    const storage = await openSqlite(path);
    const rex = { name: "Rex", categoryId: 7n, status: "sold" } as const;
    const creates = Array.from({ length: 20 }, () => storage.pets.create(rex));
    await Promise.all(creates).finally(() => storage.close());
  }
  console.log((await messageOf(createAll())) ?? "created");
}

await (task === "lock" ? lock() : create());
