import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { UNHEARD } from "../../../contracts/storage-under-test.js";
import type { NewPet, Pet } from "../../../domain/pet.js";
import type { Program } from "../program.js";

/** The hidden command by which this program uses a storage in another process, for the cases that need one. */
export const PROCESS_COMMAND = "conformance-process";

/** How long a process may take to end once it has closed its storage, in milliseconds. */
const ENDING = 10_000;

/** Lets another process create pets, and die as soon as it has the answers. */
export async function createInOtherProcess(url: string, pets: readonly NewPet[]): Promise<Pet[]> {
  const { child, ended } = start(url, pets);
  const [answers] = await Promise.race([once(child, "message"), ended]);
  child.kill("SIGKILL");
  if (answers === undefined) throw new Error("a process that should create pets ended before it had");
  return answers;
}

/** Lets another process use and close a storage. Resolves to whether that process then ended by itself. */
export async function endsInOtherProcess(url: string): Promise<boolean> {
  const { child, ended } = start(url, []);
  await Promise.race([once(child, "disconnect"), ended]);
  const inTime = await Promise.race([ended.then(() => true), sleep(ENDING, false)]);
  child.kill("SIGKILL");
  return inTime;
}

function start(url: string, pets: readonly NewPet[]): { child: ChildProcess; ended: Promise<[]> } {
  const child = fork(process.argv[1] as string, [PROCESS_COMMAND, url], {
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

/** The hidden command: creates the pets that it gets, answers and dies; if there are none, closes the storage and ends. */
export async function beOtherProcess(url: string, program: Program): Promise<void> {
  const [pets]: [NewPet[]] = (await once(process, "message")) as [NewPet[]];
  const repository = await program.openStorage(url, UNHEARD);
  if (pets.length > 0) {
    const creations = await Promise.all(pets.map((pet) => repository.create(pet)));
    const answers = creations.map(({ pet }) => ({ ...pet }));
    process.send?.(answers, () => process.kill(process.pid, "SIGKILL"));
    return;
  }
  await repository.create({ name: "Rex", categoryId: 1n, status: "sold" }, { key: "key", fingerprint: "f" });
  await repository.list({ status: "sold", after: 0n, limit: 10 });
  await repository.close();
  process.disconnect();
}
