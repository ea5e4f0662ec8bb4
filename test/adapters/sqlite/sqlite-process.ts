/**
 * A process that uses a SQLite file: `node sqlite-process.js TASK PATH`. It prints a line once it is ready, and goes on
 * when a line comes on its standard input.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { openSqlite } from "../../support/open-sqlite.js";

const [task = "", path = ""] = process.argv.slice(2);
const REX = { name: "Rex", categoryId: 7n, status: "sold" } as const;

async function ready(line: string): Promise<void> {
  console.log(line);
  await once(process.stdin, "data");
  process.stdin.pause();
}

const TASKS: Record<string, () => Promise<void>> = {
  /** Holds the write lock until it may go on. */
  async lock() {
    const database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    await ready("locked");
    database.close();
  },

  /** Creates 300 pets, 10 at a time, and prints their ids. */
  async create() {
    const storage = await openSqlite(path);
    await ready("ready");
    const ids: bigint[] = [];
    while (ids.length < 300) {
      const created = await Promise.all(Array.from({ length: 10 }, () => storage.pets.create(REX)));
      ids.push(...created.map(({ pet }) => pet.id));
    }
    await storage.close();
    console.log(ids.join(" "));
  },

  /** Creates pets, 16 at a time, until it is killed, and prints the id of each, or "refused". */
  async createUntilKilled() {
    const storage = await openSqlite(path);
    const keepCreating = async () => {
      for (;;) {
        const line = await storage.pets.create(REX).then(
          ({ pet }) => pet.id,
          () => "refused",
        );
        writeSync(1, `${line}\n`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, keepCreating));
  },

  /** Opens the file and creates a pet. Prints "created", or why it could not. */
  async createOne() {
    try {
      const storage = await openSqlite(path);
      await storage.pets.create(REX);
      await storage.close();
      console.log("created");
    } catch (error) {
      console.log((error as Error).message);
    }
  },
};

await TASKS[task]?.();
