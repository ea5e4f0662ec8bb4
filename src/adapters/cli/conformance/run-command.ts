import { setTimeout as sleep } from "node:timers/promises";
import { maskUrl } from "../../../application/ports/mask-url.js";
import type { StorageAdapter } from "../../../application/ports/storage-adapter.js";
import {
  type ContractCase,
  type RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  whyNotAsked,
} from "../../../contracts/storage-contract.js";
import { Interrupted, onInterrupt } from "../interrupted.js";
import type { Storages } from "../program.js";
import { ProgressDisplay } from "../progress.js";
import { explainNotAsked, listStorages, printResults, type Result } from "./report.js";
import { CommandFailed, runShell } from "./shell.js";
import { type Choices, Refusal, TestedStorage } from "./tested-storage.js";

export interface Options extends Omit<Choices, "url"> {
  readonly cleanup?: string;
  readonly json?: true;
}

const EXIT_CODE = { held: 0, broken: 1, refused: 2 } as const;

/** How long to wait after a case for late errors of the storage, in milliseconds. */
const AFTERMATH = 10;

/** Checks the contract on a storage, prints the result, and ends the process with the exit code. */
export async function runConformance(
  url: string,
  { cleanup, json, ...choices }: Options,
  adapter: StorageAdapter,
  storages: Storages,
): Promise<never> {
  const tested = new TestedStorage(adapter, { url, ...choices }, storages);
  const results: Result[] = [];
  const display = new ProgressDisplay();
  let asking = "";

  async function askAll(): Promise<void> {
    const storage = await tested.offer();
    const cases = STORAGE_CONTRACT.filter(({ name, rule, needs }) => {
      const reason = whyNotAsked(needs, storage);
      if (reason) results.push({ name, rule, outcome: "not asked", seen: reason });
      return !reason;
    });
    for (const [done, one] of cases.entries()) {
      display.show({ title: "asking", done, total: cases.length, unit: "rules" });
      asking = one.name;
      results.push(await ask(one, storage));
      // The next cases need the storage, even if this one ran out of time.
      await tested.bringBack();
    }
  }

  function onExit(): void {
    display.clear();
    tested.bringBackNow();
    console.error(
      `petstore: the storage ended the process while the case "${asking}" ran; it must never do so.`,
    );
    listStorages(tested.made.map((made) => maskUrl(adapter, made)));
    process.exitCode = EXIT_CODE.broken;
  }

  process.once("exit", onExit);
  const interrupted = new Promise<never>((_resolve, reject) => void onInterrupt(reject));
  const failure = await Promise.race([askAll(), interrupted]).catch((error: Error) => error);
  process.off("exit", onExit);
  display.clear();
  await tested.bringBack();
  const left = (await clear(tested.made, cleanup)).map((made) => maskUrl(adapter, made));
  if (!failure) {
    explainNotAsked(results);
    printResults(results, left, json === true);
  }
  listStorages(left);
  // A storage that breaks a rule may leave something that keeps the process from ending.
  process.exit(failure ? explain(failure, results) : exitCodeOf(results));
}

async function ask({ name, rule, run }: ContractCase, storage: StorageUnderTest): Promise<Result> {
  let uncaught: unknown;
  const onUncaught = (error: unknown) => {
    uncaught ??= error;
  };
  process.on("uncaughtException", onUncaught);
  const failure = await run(storage).catch((error: RuleBroken) => error);
  await sleep(AFTERMATH);
  process.off("uncaughtException", onUncaught);
  const cause = failure?.cause;
  if (cause instanceof Refusal || cause instanceof CommandFailed) throw cause;
  if (uncaught !== undefined) {
    const text = String(uncaught).replace(/\s+/g, " ");
    const seen = `an error outside of any operation, which would end the service: ${text}`;
    return { name, rule, outcome: "broken", seen };
  }
  return failure ? { name, rule, outcome: "broken", seen: failure.seen } : { name, rule, outcome: "held" };
}

function exitCodeOf(results: readonly Result[]): number {
  return results.some(({ outcome }) => outcome === "broken") ? EXIT_CODE.broken : EXIT_CODE.held;
}

/** Prints why the run could not go on, and returns the exit code. */
function explain(failure: Error, results: readonly Result[]): number {
  if (failure instanceof Interrupted) {
    const done = results.filter(({ outcome }) => outcome !== "not asked").length;
    console.error(`petstore: interrupted after ${done} rules`);
    return failure.exitCode;
  }
  console.error(`petstore: ${failure.message}`);
  return failure instanceof Refusal ? EXIT_CODE.refused : EXIT_CODE.broken;
}

/** Runs the operator's command for each storage. Returns the storages that are left. */
async function clear(made: readonly string[], command: string | undefined): Promise<readonly string[]> {
  if (command === undefined) return made;
  const left: string[] = [];
  for (const url of made) {
    await runShell(command, url).catch((error: Error) => {
      console.error(`petstore: ${error.message}`);
      left.push(url);
    });
  }
  return left;
}
