import type { Command } from "commander";
import { maskUrl } from "../../../application/ports/mask-url.js";
import type { StorageAdapter } from "../../../application/ports/storage-adapter.js";
import type { Storages } from "../program.js";
import { beOtherProcess, PROCESS_COMMAND } from "./other-process.js";
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
export function addConformance(petstore: Command, storages: Storages, urls: readonly [string, string]): void {
  petstore
    .command("conformance")
    .description("check that a storage keeps every rule of the contract, on storages made for it")
    .argument("<url>", "the URL of a storage, with {n} for its name")
    .option("--down <command>", "how to take the server away; adds the cases of outages, with --up")
    .option("--up <command>", "how to bring the server back")
    .option("--delete <command>", "how to delete a pet past the service, given URL and id; adds cases")
    .option("--cleanup <command>", "how to remove a storage, given its URL; runs for each that was made")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", help(forTests(urls[0]), forTests(urls[1])))
    .action(async (url: string, options: Options, command: Command) => {
      const adapter = await storages.findStorage(named(url));
      const fault = faultOf(url, options, adapter);
      if (fault) command.error(`error: ${fault}`);
      const { runConformance } = await import("./run-command.js");
      await runConformance(url, options, adapter, storages);
    });

  petstore
    .command(PROCESS_COMMAND, { hidden: true })
    .argument("<url>")
    .action((url: string) => beOtherProcess(url, storages));
}

function faultOf(url: string, { down, up }: Options, adapter: StorageAdapter): string | undefined {
  if (!url.includes("{n}") && (adapter.durable || adapter.shared)) {
    const shown = maskUrl(adapter, url);
    return `the URL must have {n} in it, for the name of the storage that each case gets: ${shown}`;
  }
  if ((down === undefined) !== (up === undefined))
    return "--down and --up go together; give both, or neither";
  return undefined;
}

/** The URL with a name in place of `{n}`. If a check refuses it, it refuses the URL with any name. */
function named(url: string): string {
  return url.replaceAll("{n}", "t1");
}

/** Puts `{n}` into an example URL of the service. */
function forTests(url: string): string {
  return url.replace(/petstore(?!.*petstore)/, "petstore_test_{n}");
}
