/**
 * A process that uses a SQLite file: `node sqlite-process.js TASK PATH`. It prints one line once the task is
 * done or, if the task lasts, has begun. It holds a lock until its standard input ends.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { DatabaseSync } from "@photostructure/sqlite";
import { openSqlite } from "./open-storages.js";

const [task = "", path = ""] = process.argv.slice(2);

/** The threads that the process has started. */
const threads: Worker[] = [];

const TASKS: Record<string, () => Promise<void>> = {
  /** Holds the write lock. */
  lock: () => hold("BEGIN IMMEDIATE"),

  /** Keeps even readers out. */
  lockWhole: () => hold("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"),

  /**
   * Opens the file, prints "ready", and waits for a line of input. Then creates 1000 pets, 10 at once, and
   * prints their ids. Each pet has its number as category.
   */
  async create() {
    const storage = await openSqlite(path);
    const ids: bigint[] = [];
    console.log("ready");
    await once(process.stdin, "data");
    process.stdin.pause();
    while (ids.length < 1000) {
      const creations = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          storage.pets.create({ name: "Rex", categoryId: BigInt(ids.length + n), status: "sold" }),
        ),
      );
      ids.push(...creations.map(({ pet }) => pet.id));
      // A pause, so that other processes get the lock.
      await sleep(1);
    }
    await storage.close();
    console.log(ids.join(" "));
  },

  /** Creates pets, 16 at once, until it is killed. Prints the id of each once it has it, or "refused". */
  async createUntilKilled() {
    const storage = await openSqlite(path);
    const keepCreating = async () => {
      for (;;) {
        const creation = storage.pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
        const line = await creation.then(
          ({ pet }) => pet.id,
          () => sleep(10, "refused"),
        );
        writeSync(1, `${line}\n`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, keepCreating));
  },

  /** Opens the file, creates a pet, and prints "created", or why it could not. */
  async createOne() {
    try {
      const storage = await openSqlite(path);
      await storage.pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
      await storage.close();
      console.log("created");
    } catch (error) {
      console.log((error as Error).message);
    }
  },

  /** Creates a pet, lets the thread that writes die, and prints "ends" when that ends the process. */
  async loseThread() {
    process.once("worker", (thread) => threads.push(thread));
    const storage = await openSqlite(path);
    await storage.pets.create({ name: "Rex", categoryId: 7n, status: "sold" });
    process.once("uncaughtException", () => {
      console.log("ends");
      process.exit();
    });
    // It can read no such message.
    threads[0]?.postMessage(null);
  },
};

async function hold(sql: string): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec(sql);
  console.log("locked");
  process.stdin.resume();
  await once(process.stdin, "end");
  database.close();
}

await TASKS[task]?.();
