import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { NewPet, Pet } from "../domain/pet.js";
import type { Storage } from "../storages/storage-adapter.js";

/** The hidden command of the program that uses a storage as the cases need it, in a process of its own. */
export const PROCESS_COMMAND = "conformance-process";

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** How long a process may take to end once it has closed its storage, in milliseconds. */
const ENDING = 10_000;

/**
 * The parts of a storage's surroundings that need a process which is killed, or must end by itself.
 *
 * @param modules the modules of storages from outside, as in `PETSTORE_STORAGE_ADAPTERS`, which has the default
 */
export function otherProcess(modules = process.env.PETSTORE_STORAGE_ADAPTERS) {
  function start(url: string, pets: readonly NewPet[]): { child: ChildProcess; ended: Promise<[]> } {
    const child = fork(PROGRAM, [PROCESS_COMMAND, url], {
      env: { ...process.env, ...(modules && { PETSTORE_STORAGE_ADAPTERS: modules }) },
      execArgv: [],
      // Output of a storage goes to standard error.
      stdio: ["ignore", 2, 2, "ipc"],
      // JSON, the default, cannot carry bigints.
      serialization: "advanced",
    });
    child.send(pets);
    const ended = once(child, "exit").then(([code]): [] => {
      if (code) throw new Error(`another process that used the storage ended with exit code ${code}`);
      return [];
    });
    return { child, ended };
  }

  return {
    /** Lets another process create pets, and die as soon as it has the answers. */
    async createAndDie(url: string, pets: readonly NewPet[]): Promise<Pet[]> {
      const { child, ended } = start(url, pets);
      const [answers] = await Promise.race([once(child, "message"), ended]);
      child.kill("SIGKILL");
      if (answers === undefined) throw new Error("a process that should create pets ended before it had");
      return answers;
    },

    /** Lets another process use and close a storage. Resolves to whether that process then ended by itself. */
    async useAndClose(url: string): Promise<boolean> {
      const { child, ended } = start(url, []);
      await Promise.race([once(child, "disconnect"), ended]);
      const inTime = await Promise.race([ended.then(() => true), sleep(ENDING, false)]);
      child.kill("SIGKILL");
      return inTime;
    },
  };
}

/** The hidden command: creates the pets that it gets, answers and dies; if there are none, closes the storage and ends. */
export async function beOtherProcess(open: () => Promise<Storage>): Promise<void> {
  const [pets]: [NewPet[]] = (await once(process, "message")) as [NewPet[]];
  const storage = await open();
  if (pets.length > 0) {
    const creations = await Promise.all(pets.map((pet) => storage.pets.create(pet)));
    const answers = creations.map(({ pet }) => ({ ...pet }));
    process.send?.(answers, () => process.kill(process.pid, "SIGKILL"));
    return;
  }
  const record = { key: "key", fingerprint: "fingerprint" };
  await storage.pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, record);
  await storage.pets.list({ status: "sold", after: 0n, limit: 10 });
  await storage.close();
  process.disconnect();
}
