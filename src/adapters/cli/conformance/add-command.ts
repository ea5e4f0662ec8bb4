import { type Command, InvalidArgumentError } from "commander";
import { maskUrl } from "../../../application/ports/mask-url.js";
import type { StorageAdapter } from "../../../application/ports/storage-adapter.js";
import type { Storages } from "../program.js";
import { PROCESS_COMMAND } from "./case-process.js";
import type { Options } from "./run-command.js";

const help = (file: string, server: string) => `
Each case gets a storage of its own, new and empty: {n} in the URL becomes its name. The check leaves
a storage untouched that is not empty. /bin/sh runs the commands, with URL and id as $1 and $2, or appended to a command
that uses neither.

Examples:
  petstore conformance '${file}' --cleanup 'rm -f "\${1#*:}"*'
  petstore conformance '${server}' --down 'docker kill db' --up 'docker start db'
  PETSTORE_STORAGE_ADAPTERS=./acme.mjs petstore conformance 'acme:{n}' --json

Exit codes:
  0          all rules hold
  1          some rule is broken, or one of the given commands failed
  2          the command line, or a storage that cannot be opened or is not empty
  130, 143   SIGINT or SIGTERM ended it early`;

/**
 * Adds the command to the program. The command loads its modules when it runs.
 *
 * @param urls for the help: the URL of a storage that is a file, and of one that is a server
 */
export function addConformance(
  petstore: Command,
  storages: Storages,
  urls: readonly [string, string],
  exit: (code: number) => void,
): void {
  petstore
    .command("conformance")
    .description("check that a storage keeps every rule of the contract, on storages made for it")
    .argument("<url>", "the URL of a storage, with {n} for its name")
    .option("--down <command>", "how to take the server away; adds the cases of outages, with --up")
    .option("--up <command>", "how to bring the server back")
    .option("--delete <command>", "how to delete a pet past the service, given URL and id; adds cases")
    .option("--cleanup <command>", "how to remove a storage, given its URL; runs for each that was made")
    .option(
      "--timeout <seconds>",
      "how long a case may take; one of outages three times as long",
      seconds,
      60,
    )
    .option("--only <words>", "ask only the cases with these words in their name, e.g. outage")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", help(forTests(urls[0]), forTests(urls[1])))
    .action(async (url: string, options: Options, command: Command) => {
      const adapter = await storages.findStorage(named(url));
      const { STORAGE_CONTRACT } = await import("../../../contracts/storage-contract.js");
      const names = STORAGE_CONTRACT.map(({ name }) => name);
      const fault = faultOf(url, options, adapter, names);
      if (fault) command.error(`error: ${fault}`);
      const { runConformance } = await import("./run-command.js");
      exit(await runConformance(url, options, adapter));
    });

  petstore.command(PROCESS_COMMAND, { hidden: true }).action(async () => {
    const { carryOutOrders } = await import("./carry-out-orders.js");
    await carryOutOrders(storages);
  });
}

function faultOf(
  url: string,
  { down, up, only = "" }: Options,
  adapter: StorageAdapter,
  names: readonly string[],
): string | undefined {
  if (!url.includes("{n}") && (adapter.durable || adapter.shared)) {
    const shown = maskUrl(adapter, url);
    return `the URL must have {n} in it, for the name of the storage that each case gets: ${shown}`;
  }
  if (!names.some((name) => name.includes(only))) return "--only needs words that a case has in its name";
  if ((down === undefined) !== (up === undefined))
    return "--down and --up go together; give both, or neither";
  return undefined;
}

/** The URL with a name in place of `{n}`. If a check refuses it, it refuses the URL with any name. */
function named(url: string): string {
  return url.replaceAll("{n}", "t1");
}

function seconds(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Use a whole number of seconds, e.g. 60.");
}

/** Puts `{n}` into an example URL of the service. */
function forTests(url: string): string {
  return url.replace(/petstore(?!.*petstore)/, "petstore_test_{n}");
}
