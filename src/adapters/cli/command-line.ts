import { Command, CommanderError, InvalidArgumentError } from "commander";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { showConfig } from "./config.js";
import { addConformance } from "./conformance/add-command.js";
import { addKey, listKeys, revokeKey } from "./keys.js";
import { keepOutputForResults } from "./output.js";
import type { Program } from "./program.js";
import { showReadiness } from "./ready.js";
import { showStorages } from "./storages.js";

/** `main.ts` has the exit codes of `serve` without arguments, and of errors that a command throws. */
const EXIT_CODE = { done: 0, failed: 1, usage: 2 } as const;

const EXIT_CODES = `
Exit codes:
  0  the command has done its work; of ready: the instance is ready
  1  the command failed, and a message says why; of ready: the instance is not ready
  2  the command line or a setting needs correcting; the command has done nothing`;

const copyHelp = (from: string, to: string) => `
Examples:
  petstore copy ${from} ${to}
  petstore copy --verify --json ${from} ${to}

The same command goes on where a copy ended early, and copies what came to FROM since. Nothing may write to TO.

Exit codes:
  0          every pet of FROM is in TO, and was compared
  1          there is a difference, TO was refused, or a storage was away for too long
  2          the command line, or a storage that cannot take part
  130, 143   SIGINT or SIGTERM ended it early`;

interface Output {
  readonly json?: true;
}

/** Runs the command that the arguments name, and returns the exit code. */
export async function runCommandLine(argv: readonly string[], program: Program): Promise<number> {
  let exitCode: number = EXIT_CODE.done;
  const urls = await program.exampleUrls();
  const json = ["--json", "print JSON, for scripts"] as const;
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
      if (command.name() !== "serve") keepOutputForResults();
    });

  petstore
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT; the default if no command is given")
    .action(async () => {
      if (!(await program.serve())) exitCode = EXIT_CODE.failed;
    });

  const keys = petstore.command("keys").description("manage the API keys, also while the service runs");
  keys
    .command("add")
    .description("make a key and print it, once")
    .argument("<name>", "the name of the key in logs and metrics", keyName)
    .option(
      "--expires <duration>",
      "how long the key is valid, e.g. 12h, 90d, 52w (default: for ever)",
      duration,
    )
    .option(...json)
    .action(async (name: string, options: Output & { expires?: number }) => {
      await addKey(await program.openKeyStore(), name, options);
    });
  keys
    .command("list")
    .description("list the names of the keys and when they expire")
    .option(...json)
    .action(async (options: Output) => {
      await listKeys(await program.openKeyStore(), options);
    });
  keys
    .command("revoke")
    .description("stop accepting a key; running instances follow within 2 seconds")
    .argument("<name>", "the key's name", keyName)
    .action(async (name: string) => {
      await revokeKey(await program.openKeyStore(), name);
    });

  petstore
    .command("config")
    .description("show every setting with the origin of its value and its fault; mask secrets")
    .option(...json)
    .action(async (options: Output) => {
      if (!showConfig(await program.describeSettings(), options)) exitCode = EXIT_CODE.usage;
    });

  petstore
    .command("storages")
    .description("list the storages that PETSTORE_STORAGE can name, and the origin of each")
    .option(...json)
    .action(async (options: Output) => {
      const storages = await program.knownStorages();
      if (!showStorages(storages.describe(), storages.faults, options)) exitCode = EXIT_CODE.usage;
    });

  petstore
    .command("ready")
    .description("ask the admin port of a running instance whether it is ready; for health checks")
    .option(...json)
    .action(async (options: Output) => {
      if (!(await showReadiness(await program.adminAddress(), options))) exitCode = EXIT_CODE.failed;
    });

  petstore
    .command("copy")
    .description(
      "copy all pets exactly from one storage to another, and verify them; run it again to go on or to catch up",
    )
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or has pets of FROM only")
    .option("--verify", "compare the two, and change nothing")
    .option(...json)
    .addHelpText("after", copyHelp(...urls))
    .action(async (from: string, to: string, options: Output & { verify?: true }) => {
      const { copy } = await import("./copy/copy.js");
      exitCode = await copy(from, to, options, program);
    });

  addConformance(petstore, program, urls);

  try {
    await petstore.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed the help, the version, or the fault.
    return error.exitCode === 0 ? EXIT_CODE.done : EXIT_CODE.usage;
  }
  return exitCode;
}

function keyName(text: string): string {
  if (KEY_NAME.test(text)) return text;
  throw new InvalidArgumentError("Use 1 to 64 letters, digits and _ . @ -, e.g. mobile-app.");
}

const MILLISECONDS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration in milliseconds. */
function duration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (unit !== undefined) return Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
  throw new InvalidArgumentError("Use a whole number of hours, days or weeks, e.g. 90d.");
}
