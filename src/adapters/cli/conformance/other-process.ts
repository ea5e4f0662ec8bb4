import { once } from "node:events";
import { writeSync } from "node:fs";
import { text } from "node:stream/consumers";
import { deserialize, serialize } from "node:v8";
import type { NewPet, Pet } from "../../../domain/pet.js";
import type { Storages } from "../program.js";
import { startProcess } from "./case-process.js";
import type { Order, Report } from "./process-messages.js";
import { ReadCounter } from "./read-counter.js";

/** How long a process may take to end once it has closed its storage, in milliseconds. */
const ENDING = 10_000;

/** Lets another process create pets and die. Resolves to the pets that the process got. */
export async function createInOtherProcess(url: string, pets: readonly NewPet[]): Promise<Pet[]> {
  const child = startProcess({ stdout: "pipe" });
  child.send({ order: "die", url, pets } satisfies Order);
  const failed = once(child, "message").then(([report]) => failureOf(report as Report));
  const printed = text(child.stdout as NodeJS.ReadableStream & AsyncIterable<Buffer>);
  const answer = await Promise.race([printed, failed]);
  child.kill("SIGKILL");
  const line = answer.split("\n").find((line) => line.startsWith(MARK));
  if (line === undefined)
    throw new Error("the process that should create pets ended before it had an answer");
  return deserialize(Buffer.from(line.slice(MARK.length), "base64")) as Pet[];
}

/**
 * Lets another process open a storage, use and close it. Resolves to whether the process then ended by
 * itself.
 */
export async function endsInOtherProcess(url: string): Promise<boolean> {
  const child = startProcess();
  child.send({ order: "use", url } satisfies Order);
  const failed = once(child, "message").then(([report]) => failureOf(report as Report));
  const ended = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`the process that had closed the storage ended with exit code ${code}`);
    return true;
  });
  const closed = once(child, "disconnect").then(
    () => new Promise((resolve) => setTimeout(resolve, ENDING, false)),
  );
  try {
    return (await Promise.race([ended, failed, closed])) as boolean;
  } finally {
    child.kill("SIGKILL");
  }
}

/** The order `die`: creates the pets, prints the answers, and kills its own process at once. */
export async function createAndDie(
  { url, pets }: Extract<Order, { order: "die" }>,
  storages: Storages,
): Promise<void> {
  const repository = await storages.openStorage(url, new ReadCounter().context);
  const middle = Math.floor(pets.length / 2);
  const answers = [];
  for (const pet of pets.slice(0, middle)) answers.push(await repository.create(pet));
  answers.push(...(await Promise.all(pets.slice(middle).map((pet) => repository.create(pet)))));
  const created = serialize(answers.map(({ pet }) => ({ ...pet })));
  writeSync(1, `\n${MARK}${created.toString("base64")}\n`);
  process.kill(process.pid, "SIGKILL");
}

/** The order `use`: afterwards only the storage can keep the process from ending. */
export async function useAndEnd(url: string, storages: Storages): Promise<void> {
  const repository = await storages.openStorage(url, new ReadCounter().context);
  await repository.create({ name: "Rex", categoryId: 1n, status: "sold" }, { key: "key", fingerprint: "f" });
  await Promise.all([
    repository.list({ status: "sold", after: 0n, limit: 10 }),
    repository.get(1n),
    repository.ping(),
  ]);
  await repository.close();
  process.disconnect?.();
}

/** Marks the line with the answer, since a storage may print lines as well. */
const MARK = "petstore conformance answers ";

function failureOf(report: Report): never {
  throw new Error(
    "message" in report ? report.message : "the process reported something else than it was asked for",
  );
}
