import { Console } from "node:console";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addConfig } from "./config.js";
import { addConformance } from "./conformance/conformance.js";
import { addCopy } from "./copy/copy.js";
import { Failure } from "./failure.js";
import { addKeys } from "./keys.js";
import { complain, failWithOutput } from "./output.js";
import type { Program } from "./program.js";
import { addReady } from "./ready.js";
import { addStorages } from "./storages.js";

const EXIT_CODES = `
Exit codes:
  0  the command has done its work; of ready: the instance is ready
  1  the command failed, and a message says why; of ready: the instance is not ready
  2  the command line or a setting needs correcting; the command has done nothing
Those of copy and conformance are in their --help.`;

const INSTANCE = new Option(
  "--instance <name>",
  "the name of this process among several, which its log lines have",
).argParser((name) => {
  if (/^[\w.:-]{1,64}$/.test(name)) return name;
  throw new InvalidArgumentError("A name has 1 to 64 letters, digits and . _ : -, e.g. 2.");
});

/**
 * Runs the command that the arguments name. Its exit code is in `process.exitCode`.
 *
 * @throws Error that ends the command; `run.ts` prints it, and has its exit code
 */
export async function runCommandLine(argv: readonly string[], program: Program): Promise<void> {
  // The log of the service says so itself.
  if (argv[0] !== "serve") failWithOutput();
  const petstore = new Command("petstore")
    .description("A catalogue of pets behind an HTTP/JSON interface. Settings are environment variables.")
    .version(program.version)
    .addHelpText("after", EXIT_CODES)
    // This comes before the commands, since each command copies these settings. Errors begin like all
    // messages of the program.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "petstore: ")) })
    .showHelpAfterError("Run petstore --help to see the commands and their options.")
    // Otherwise Commander ends the process, and does not throw.
    .exitOverride()
    .hook("preAction", (_petstore, command) => {
      // Standard output is for results; the console of storages from outside goes to standard error.
      if (command.name() !== "serve") globalThis.console = new Console(process.stderr);
    });
  petstore
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT; the default if no command is given")
    .addOption(INSTANCE)
    .action(async ({ instance }: { instance?: string }) => {
      if (!(await program.serve(instance))) process.exitCode = 1;
    });
  addKeys(petstore, program);
  addConfig(petstore, program);
  addStorages(petstore, program);
  addReady(petstore, program);
  addCopy(petstore, program);
  addConformance(petstore, program);
  try {
    await petstore.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (error instanceof Failure) {
      complain(error.message);
      process.exitCode = error.exitCode;
    } else if (error instanceof CommanderError) {
      // Commander has printed the help, the version, or the fault.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else throw error;
  }
}
