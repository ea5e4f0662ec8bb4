import { Command, CommanderError } from "commander";
import { print } from "./output.js";
import type { Program } from "./program.js";

const EXIT_CODES = `
Exit codes:
  0         done
  1         failed; a difference that copy found; a rule that conformance found broken
  2         the command line, a setting or the URL of a storage needs correcting; nothing was done
  3         copy: pets were created in FROM meanwhile; run it again
  130, 143  ended by SIGINT, SIGTERM`;

/** What adds each command. Imported only if needed, since the modules take longer to load than most commands to run. */
const COMMANDS = new Map<string, () => Promise<(petstore: Command, program: Program) => void>>([
  ["keys", async () => (await import("./keys.js")).addKeys],
  ["config", async () => (await import("./config.js")).addConfig],
  ["storages", async () => (await import("./storages.js")).addStorages],
  ["copy", async () => (await import("./copy.js")).addCopy],
  ["conformance", async () => (await import("./conformance.js")).addConformance],
]);

/** Resolves to the exit code. @throws Error that says what to do, perhaps with an `exitCode`; 1 if it has none */
export async function runCommandLine(argv: readonly string[], program: Program): Promise<number> {
  const petstore = new Command("petstore")
    .description("A catalogue of pets behind an HTTP/JSON interface. Settings are environment variables.")
    .version(program.version)
    .addHelpText("after", EXIT_CODES)
    // Before the commands are added, which inherit these.
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, "petstore: ")),
    })
    .showHelpAfterError("Add --help to see the options of a command; petstore --help lists the commands.")
    .exitOverride();
  petstore
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT; the default if no command is given")
    .action(async () => {
      process.exitCode = await program.serve();
    });
  const [name = ""] = argv;
  const load = COMMANDS.get(name);
  const needed = load ? [load] : name === "--version" ? [] : COMMANDS.values();
  for (const loadCommand of needed) (await loadCommand())(petstore, program);
  try {
    await petstore.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has already printed the help, the version or the error.
    return error.exitCode === 0 ? 0 : 2;
  }
}
