import { Command, InvalidArgumentError } from "commander";
import { readVersion } from "../adapters/process/version.js";
import { KEY_NAME } from "../application/ports/key-verifier.js";
import type { PROCESS_COMMAND } from "../storage-kit/other-process.js";

const EXIT_CODES = `
Exit codes:
  0         done
  1         failed; copy found a difference; conformance found a broken rule
  2         nothing was done: correct the command line, a setting or the URL of a storage, or use another machine
  3         copy: pets were created in FROM meanwhile; run it again
  130, 143  ended by SIGINT, SIGTERM`;

const JSON_OPTION = ["--json", "print JSON, for scripts"] as const;

/**
 * Runs a command, and sets the exit code of the process. Loading modules takes longer than most commands run,
 * so each action imports its own.
 *
 * @throws Error that says what to do; its `exitCode` is 1 by default
 */
export async function runCommandLine(args: readonly string[], serve: () => Promise<void>): Promise<void> {
  const petstore = new Command("petstore")
    .description("A catalogue of pets behind an HTTP/JSON interface. Settings are environment variables.")
    .version(readVersion())
    .addHelpText("after", EXIT_CODES)
    // Precedes the commands, which inherit these.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "petstore: ")) })
    .showHelpAfterError("Add --help to see the options of a command; petstore --help lists the commands.")
    // Called once the help, the version or an error is printed.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

  petstore
    .command("serve")
    .description("serve the API until SIGTERM or SIGINT; the default if no command is given")
    .action(serve);

  const keys = petstore.command("keys").description("manage the API keys, even while the service is running");
  keys
    .command("add")
    .description("create a key and print it; it will not be shown again")
    .argument("<name>", "the name of the key in logs and metrics", keyName)
    .option("--expires <duration>", "how long it is valid, e.g. 12h, 90d, 52w (default: no expiry)", instant)
    .option(...JSON_OPTION)
    .action(async (name, options) => (await import("./keys.js")).addKey(name, options));
  keys
    .command("list")
    .description("list the keys' names and when they expire")
    .option(...JSON_OPTION)
    .action(async (options) => (await import("./keys.js")).listKeys(options));
  keys
    .command("revoke")
    .description("stop accepting a key; running instances do so within 2 seconds")
    .argument("<name>", "the name of the key", keyName)
    .action(async (name) => (await import("./keys.js")).revokeKey(name));

  petstore
    .command("config")
    .description("show every setting, where it is from, and why a start would refuse it; secrets are masked")
    .option(...JSON_OPTION)
    .action(async (options) => (await import("./config.js")).showConfig(options));
  petstore
    .command("storages")
    .description("list the storages that PETSTORE_STORAGE can name, and where each is from")
    .option(...JSON_OPTION)
    .action(async (options) => (await import("./storages.js")).listStorages(options));
  petstore
    .command("copy")
    .description("copy every pet exactly, and compare both sides; run it again to resume or to catch up")
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or contains only pets of FROM")
    .option("--verify", "only compare both sides, and write nothing")
    .option(...JSON_OPTION)
    .action(async (from, to, options) => (await import("./copy.js")).runCopy(from, to, options));
  petstore
    .command("conformance")
    .description("check a storage against every rule of the contract, in newly created storages")
    .argument("<url>", "the URL of a storage; {n} becomes a new name for each case")
    .option("--with <module>", "a module that exports outage, pause, deletePet, drop, each optional")
    .option(...JSON_OPTION)
    .action(async (url, options) => (await import("./conformance.js")).checkContract(url, options));
  petstore
    .command("contract-process" satisfies typeof PROCESS_COMMAND, { hidden: true })
    .argument("<url>")
    .action(async (url) => (await import("./contract-process.js")).runForParent(url));

  await petstore.parseAsync(args, { from: "user" });
}

function keyName(name: string): string {
  if (KEY_NAME.test(name)) return name;
  throw new InvalidArgumentError("Use 1 to 64 letters, digits and _ . @ -, e.g. mobile-app.");
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** Returns the instant after a duration such as `90d`, in ISO 8601. */
function instant(duration: string): string {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([hdw])$/.exec(duration) ?? [];
  if (!unit) throw new InvalidArgumentError("Use 1 to 99999 whole hours, days or weeks, e.g. 90d.");
  return new Date(Date.now() + Number(count) * Number(HOURS[unit]) * 3_600_000).toISOString();
}
