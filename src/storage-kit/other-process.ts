import { AssertionError } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { IdempotencyRecord } from "../application/ports/idempotency-record.js";
import type { NewPet, Pet } from "../domain/pet.js";
import { CallFailed } from "./messages.js";

/** The command that opens the storage of a URL, and does the task that it receives. */
export const PROCESS_COMMAND = "contract-process";
const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** How long the process may run before it is killed, in milliseconds. */
const LIMIT = 20_000;

/** Calls to make at once. */
type Calls = readonly (readonly [port: string, operation: string, ...args: unknown[]])[];
/** Make the calls and die; without calls, call each operation once, and close the storage. */
export type Task = { readonly calls: Calls | undefined };
export type Reply = { readonly results: readonly unknown[] } | { readonly failure: string };

/** For the cases that need another process. @param modules by default those of `PETSTORE_STORAGE_ADAPTERS` */
export function otherProcess(modules = process.env.PETSTORE_STORAGE_ADAPTERS) {
  async function run(url: string, calls?: Calls) {
    const child = fork(PROGRAM, [PROCESS_COMMAND, url], {
      env: { ...process.env, PETSTORE_STORAGE_ADAPTERS: modules },
      execArgv: [],
      // A storage may print; that goes to standard error.
      stdio: ["ignore", 2, 2, "ipc"],
      // JSON, the default, cannot carry bigints.
      serialization: "advanced",
    });
    let isLate = false;
    const kill = () => child.kill("SIGKILL");
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, LIMIT);
    process.once("exit", kill);
    const closed = once(child, "close").then((): [Reply] => [{ failure: "ended before it was done" }]);
    try {
      child.send({ calls } satisfies Task);
      const [reply] = (await Promise.race([once(child, "message"), closed])) as [Reply];
      if (isLate) throw new CallFailed("timed out", `another process was not done within ${LIMIT / 1000} s`);
      if ("failure" in reply) throw new AssertionError({ message: `another process ${reply.failure}` });
      if (!calls) await closed;
      return { results: reply.results, endedByItself: child.exitCode === 0 };
    } finally {
      clearTimeout(timer);
      kill();
      process.off("exit", kill);
      // Until it is gone it may hold locks.
      await closed;
    }
  }

  return {
    /** Lets another process create pets at once, and die as soon as these are created. */
    async createAndDie(url: string, pets: readonly NewPet[], records: readonly IdempotencyRecord[] = []) {
      const { results } = await run(
        url,
        pets.map((pet, n) => ["pets", "create", pet, records[n]]),
      );
      return results.map((creation) => (creation as { pet: Pet }).pet);
    },

    /** Lets another process use and close a storage. Resolves to whether that process then exited by itself. */
    useAndClose: async (url: string) => (await run(url)).endedByItself,
  };
}
