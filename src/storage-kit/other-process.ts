import { AssertionError } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { IdempotencyRecord } from "../application/ports/pet-repository.js";
import type { Storage } from "../application/ports/storage.js";
import type { NewPet, Pet } from "../domain/pet.js";
import { seenIn, watch } from "./seen.js";

/** The hidden command of the program that uses a storage as the cases need it, in a process of its own. */
export const PROCESS_COMMAND = "conformance-process";

const PROGRAM = fileURLToPath(new URL("../main.js", import.meta.url));

/** How long a process may take to end once it has closed its storage, in milliseconds. */
const ENDING = 10_000;

/** What the process is to create: the pet at index n with the record at index n, if there is one. */
interface Task {
  readonly pets: readonly NewPet[];
  readonly records: readonly IdempotencyRecord[];
}

/** What the process tells once it is done: the pets that it created, or how it failed. */
interface Outcome {
  readonly pets: Pet[];
  readonly failed?: string;
}

/**
 * The parts of a storage's surroundings that need a process which is killed, or must end by itself.
 *
 * @param modules the modules of storages from outside, as in `PETSTORE_STORAGE_ADAPTERS`, which has the default
 */
export function otherProcess(modules = process.env.PETSTORE_STORAGE_ADAPTERS) {
  /** Starts a process, and ends it once the work with its outcome is done. */
  async function withProcess<Result>(
    url: string,
    task: Task,
    work: (created: Pet[], ended: Promise<unknown[]>) => Promise<Result>,
  ): Promise<Result> {
    const child = fork(PROGRAM, [PROCESS_COMMAND, url], {
      env: { ...process.env, ...(modules && { PETSTORE_STORAGE_ADAPTERS: modules }) },
      execArgv: [],
      // Output of a storage goes to standard error.
      stdio: ["ignore", 2, 2, "ipc"],
      // JSON, the default, cannot carry bigints.
      serialization: "advanced",
    });
    const kill = () => void child.kill("SIGKILL");
    process.once("exit", kill);
    const ended = once(child, "exit");
    try {
      child.send(task);
      const [outcome] = (await Promise.race([once(child, "message"), ended.then(() => [])])) as [Outcome?];
      const failed = outcome
        ? outcome.failed
        : `it ended by ${child.signalCode ?? `exit code ${child.exitCode}`}`;
      if (failed)
        throw new AssertionError({ message: `${failed}, in another process that used the storage` });
      return await work(outcome?.pets ?? [], ended);
    } finally {
      kill();
      process.off("exit", kill);
      // While it dies, it still holds what a storage that is not shared locks.
      await ended;
    }
  }

  return {
    /** Lets another process create pets, and die as soon as it has the answers. */
    createAndDie: (
      url: string,
      pets: readonly NewPet[],
      records: readonly IdempotencyRecord[] = [],
    ): Promise<Pet[]> => withProcess(url, { pets, records }, async (created) => created),

    /** Lets another process use and close a storage. Resolves to whether that process then ended by itself. */
    useAndClose: (url: string): Promise<boolean> =>
      withProcess(url, { pets: [], records: [] }, async (_created, ended) => (await ended)[0] === 0),
  };
}

/** The hidden command: creates the pets that it gets and dies; if there are none, closes the storage and ends. */
export async function beOtherProcess(open: () => Promise<Storage>): Promise<void> {
  const report = (one: Outcome, then: () => void) => process.send?.(one, then);
  const fail = (error: unknown) => report({ pets: [], failed: seenIn(error) }, () => process.exit(1));
  // The process must not outlive the one that started it.
  const leave = () => process.exit(1);
  process.on("uncaughtException", fail).on("disconnect", leave);
  try {
    const [{ pets, records }] = (await once(process, "message")) as [Task];
    const storage = watch(await watch({ open }).open());
    const { create, list } = watch(storage.pets);
    if (pets.length > 0) {
      const creations = await Promise.all(pets.map((pet, n) => create(pet, records[n])));
      const created = creations.map(({ pet }) => ({ ...pet }));
      report({ pets: created }, () => process.kill(process.pid, "SIGKILL"));
      return;
    }
    const record = { key: "key", fingerprint: "fingerprint" };
    await create({ name: "Rex", categoryId: 1n, status: "sold" }, record);
    await list({ status: "sold", after: 0n, limit: 10 });
    await storage.close();
  } catch (error) {
    fail(error);
    return;
  }
  report({ pets: [] }, () => process.off("disconnect", leave).disconnect());
  // Unless the storage keeps the process from ending, nothing waits for this timer.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), ENDING).unref();
}
