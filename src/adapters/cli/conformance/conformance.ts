import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { SILENT_CONTEXT, type StorageAdapter } from "../../../application/ports/storage.js";
import { beOtherProcess, PROCESS_COMMAND } from "../../../storage-kit/other-process.js";
import { describeError } from "../../../storage-kit/seen.js";
import {
  type ContractCase,
  type RuleBroken,
  STORAGE_CONTRACT,
  type StorageUnderTest,
  whyNotAsked,
} from "../../../storage-kit/storage-contract.js";
import { maskUrl } from "../../../storages/mask-url.js";
import { Failure, interruption } from "../failure.js";
import { complain, JSON_OPTION, type Output } from "../output.js";
import type { Program } from "../program.js";
import { ProgressDisplay } from "../progress.js";
import { explainNotAsked, listStorages, printResults, type Result } from "./report.js";
import { runShell } from "./shell.js";
import { type Commands, TestedStorage } from "./tested-storage.js";

const help = (file: string, server: string) => `
Each case gets a storage of its own, new and empty: {n} in the URL becomes its name. The check leaves
a storage untouched that is not empty. /bin/sh runs the commands, with URL and id as $1 and $2, or appended to a command
that uses neither.

Examples:
  petstore conformance '${file}' --cleanup 'rm -f "\${1#*:}"*'
  petstore conformance '${server}' \\
    --down 'docker kill db' --up 'docker start db' --pause 'docker pause db' --resume 'docker unpause db'
  PETSTORE_STORAGE_ADAPTERS=./acme.mjs petstore conformance 'acme:{n}' --json

Exit codes:
  0          all rules hold
  1          some rule is broken, or one of the given commands failed
  2          the command line, or a storage that cannot be opened or is not empty
  130, 143   SIGINT or SIGTERM ended it early`;

interface Options extends Output, Commands {
  readonly cleanup?: string;
}

/** How long to wait after a case for late errors of the storage, in milliseconds. */
const AFTERMATH = 10;

export function addConformance(petstore: Command, program: Program): void {
  const forTests = (url: string) => url.replace(/petstore(?!.*petstore)/, "petstore_test_{n}");
  const [file, server] = program.exampleUrls;
  petstore
    .command("conformance")
    .description("check that a storage keeps every rule of the contract, on storages made for it")
    .argument("<url>", "the URL of a storage, with {n} for its name")
    .option("--down <command>", "how to take the server away; adds the cases of outages, with --up")
    .option("--up <command>", "how to bring the server back")
    .option(
      "--pause <command>",
      "how to make the server fall silent; adds the cases of a pause, with --resume",
    )
    .option("--resume <command>", "how to let the server answer again")
    .option("--delete <command>", "how to delete a pet past the service, given URL and id; adds cases")
    .option("--cleanup <command>", "how to remove a storage, given its URL; runs for each that was made")
    .option(...JSON_OPTION)
    .addHelpText("after", help(forTests(file), forTests(server)))
    .action(async (url: string, options: Options, command: Command) => {
      // If a check refuses the URL with one name, it refuses the URL with any name.
      const adapter = await program.findStorage(url.replaceAll("{n}", "t1"));
      const fault = faultOf(url, options, adapter);
      if (fault) command.error(`error: ${fault}`);
      await checkContract(new TestedStorage(url, adapter, options, program), options);
    });

  petstore
    .command(PROCESS_COMMAND, { hidden: true })
    .argument("<url>")
    .action((url: string) => beOtherProcess(() => program.openStorage(url, SILENT_CONTEXT)));
}

function faultOf(url: string, options: Options, adapter: StorageAdapter): string | undefined {
  if (!url.includes("{n}") && (adapter.durable || adapter.shared)) {
    const shown = maskUrl(adapter, url);
    return `the URL must have {n} in it, for the name of the storage that each case gets: ${shown}`;
  }
  const pairs = [["down", "up"] as const, ["pause", "resume"] as const];
  const alone = pairs.find(([away, back]) => (options[away] === undefined) !== (options[back] === undefined));
  return alone && `--${alone[0]} and --${alone[1]} go together; give both, or neither`;
}

/** Checks the contract on a storage, prints the result, and ends the process with the exit code. */
async function checkContract(tested: TestedStorage, { cleanup, json }: Options): Promise<never> {
  const { hide } = tested;
  const results: Result[] = [];
  const display = new ProgressDisplay();
  let asking = "";

  async function askAll(): Promise<void> {
    const storage = await tested.offer();
    for (const one of STORAGE_CONTRACT) {
      const { name, rule, needs } = one;
      display.show({ title: "asking", done: results.length, total: STORAGE_CONTRACT.length, unit: "rules" });
      asking = name;
      const seen = whyNotAsked(needs, storage);
      results.push(seen ? { name, rule, outcome: "not asked", seen } : await ask(one, storage, hide));
      // The next cases need the storage, even if this one ran out of time.
      await tested.bringBack();
    }
  }

  function onExit(): void {
    display.clear();
    tested.bringBackNow();
    complain(`the storage ended the process while the case "${asking}" ran; it must never do so.`);
    listStorages([...tested.made].map(hide));
    process.exitCode = 1;
  }

  process.once("exit", onExit);
  const signal = interruption(() => `interrupted after ${results.length} rules`);
  const interrupted = once(signal, "abort").then(() => Promise.reject(signal.reason));
  const failure = await Promise.race([askAll(), interrupted]).catch((error: Failure) => error);
  process.off("exit", onExit);
  display.clear();
  await tested.bringBack();
  const left = (await clear(tested, cleanup)).map(hide);
  let printed = true;
  if (!failure) {
    explainNotAsked(results);
    printed = await printResults(results, left, json === true);
  }
  listStorages(left);
  if (failure) complain(hide(failure.message));
  const uncleared = cleanup !== undefined && left.length > 0;
  const exitCode = !printed || uncleared || results.some(({ outcome }) => outcome === "broken") ? 1 : 0;
  // A storage that breaks a rule may leave something that keeps the process from ending.
  process.exit(failure ? (failure.exitCode ?? 1) : exitCode);
}

async function ask(
  { name, rule, run }: ContractCase,
  storage: StorageUnderTest,
  hide: (text: string) => string,
): Promise<Result> {
  let uncaught: unknown;
  const onUncaught = (error: unknown) => {
    uncaught ??= error;
  };
  process.on("uncaughtException", onUncaught);
  const failure = await run(storage).catch((error: RuleBroken) => error);
  await sleep(AFTERMATH);
  process.off("uncaughtException", onUncaught);
  if (failure?.cause instanceof Failure) throw failure.cause;
  if (uncaught !== undefined) {
    const seen = `an error outside of any operation, which would end the service: ${describeError(uncaught)}`;
    return { name, rule, outcome: "broken", seen: hide(seen) };
  }
  if (!failure) return { name, rule, outcome: "held" };
  return { name, rule, outcome: "broken", seen: hide(failure.seen) };
}

/** Runs the operator's command for each storage. Returns the storages that are left. */
async function clear({ made, hide }: TestedStorage, command: string | undefined): Promise<readonly string[]> {
  if (command === undefined) return [...made];
  const left: string[] = [];
  for (const url of made) {
    await runShell(command, url).catch((error: Error) => {
      complain(hide(error.message));
      left.push(url);
    });
  }
  return left;
}
