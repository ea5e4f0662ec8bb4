import { AssertionError } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { IdempotencyRecord } from "../application/ports/idempotency-record.js";
import type { Storage } from "../application/storage-adapter.js";
import type { NewPet, Pet } from "../domain/pet.js";
import { describeError } from "./messages.js";
import { recordOf, somePet } from "./samples.js";

/** The command that opens the storage of a URL, and calls `createForParent`. */
export const PROCESS_COMMAND = "contract-process";
const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** How long the process may run before it is killed, in milliseconds. */
const LIMIT = 20_000;

/** Create the pet at index n with the record at index n, if there is one; then die, or close the storage. */
type Task = { pets: readonly NewPet[]; records: readonly IdempotencyRecord[]; dies: boolean };

/** For the cases that need another process. @param modules by default those of `PETSTORE_STORAGE_ADAPTERS` */
export function otherProcess(modules = process.env.PETSTORE_STORAGE_ADAPTERS) {
  async function run(url: string, task: Task) {
    const child = fork(PROGRAM, [PROCESS_COMMAND, url], {
      env: { ...process.env, PETSTORE_STORAGE_ADAPTERS: modules },
      execArgv: [],
      // A storage may print; that goes to standard error.
      stdio: ["ignore", 2, 2, "ipc"],
      // JSON, the default, cannot carry bigints.
      serialization: "advanced",
      timeout: LIMIT,
      killSignal: "SIGKILL",
    });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    const closed = once(child, "close").then(() => ["ended, or was killed, before it was done"]);
    try {
      child.send(task);
      const [created]: (Pet[] | string)[] = await Promise.race([once(child, "message"), closed]);
      if (!Array.isArray(created)) throw new AssertionError({ message: `another process ${created}` });
      if (!task.dies) await closed;
      return { created, endedByItself: child.exitCode === 0 };
    } finally {
      kill();
      process.off("exit", kill);
      // Until it is gone it may hold locks.
      await closed;
    }
  }

  return {
    /** Lets another process create pets, and die as soon as these are created. */
    createAndDie: async (url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[] = []) =>
      (await run(url, { pets, records, dies: true })).created,

    /** Lets another process use and close a storage. Resolves to whether that process then exited by itself. */
    useAndClose: async (url: string) =>
      (await run(url, { pets: [somePet()], records: [recordOf("key")], dies: false })).endedByItself,
  };
}

/** The other process: runs its parent's task, and sends back the created pets, or why it failed. */
export async function createForParent(open: () => Promise<Storage>): Promise<void> {
  const leave = () => process.exit(1);
  // Do not outlive the parent.
  process.once("disconnect", leave);
  const [{ pets, records, dies }] = (await once(process, "message")) as [Task];
  const reply = (message: Pet[] | string, then: () => void) => process.send?.(message, then);
  try {
    const storage = await open();
    const creations = await Promise.all(pets.map((pet, n) => storage.pets.create(pet, records[n])));
    const created = creations.map(({ pet }) => structuredClone(pet));
    if (dies) return void reply(created, () => process.kill(process.pid, "SIGKILL"));
    await storage.close();
    reply(created, () => process.off("disconnect", leave).disconnect());
  } catch (error) {
    reply(`failed: ${describeError(error)}`, leave);
  }
}
