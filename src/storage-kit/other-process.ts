import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import type { NewPet, Pet } from "../domain/pet.js";

/** The command that opens the storage of a URL, and runs the task that it receives. */
export const PROCESS_COMMAND = "contract-process";
const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** How long the process may run before it is killed (ms). */
const LIMIT = 20_000;

/** Tells the process to create these pets at once and die; without pets, to call each operation and close. */
export interface Task {
  readonly pets?: readonly NewPet[];
  readonly records?: readonly IdempotencyRecord[];
}
export type Reply = { readonly pets: Pet[] } | { readonly failure: string };

/** Runs tasks in another process. @param modules its `PETSTORE_STORAGE_ADAPTERS` */
export function otherProcess(modules = process.env.PETSTORE_STORAGE_ADAPTERS) {
  async function run(url: string, task: Task) {
    const child = fork(PROGRAM, [PROCESS_COMMAND, url], {
      env: { ...process.env, PETSTORE_STORAGE_ADAPTERS: modules },
      execArgv: [],
      // A storage's own output goes to standard error.
      stdio: ["ignore", 2, 2, "ipc"],
      // JSON, the default, cannot carry bigints.
      serialization: "advanced",
      timeout: LIMIT,
      killSignal: "SIGKILL",
    });
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    const closed = once(child, "close").then((): [Reply] => [{ failure: "ended before it was done" }]);
    try {
      child.send(task);
      const [reply] = (await Promise.race([once(child, "message"), closed])) as [Reply];
      if (child.killed) assert.fail(`another process was not done within ${LIMIT / 1000} s`);
      if ("failure" in reply) assert.fail(`another process ${reply.failure}`);
      if (!task.pets) await closed;
      return { pets: reply.pets, endedByItself: child.exitCode === 0 };
    } finally {
      kill();
      process.off("exit", kill);
      // The process may hold locks until it has ended.
      await closed;
    }
  }

  return {
    createAndDie: async (url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[] = []) =>
      (await run(url, { pets, records })).pets,
    useAndClose: async (url: string) => (await run(url, {})).endedByItself,
  };
}
