import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { timeOf } from "./clock.js";
import { dayUnderFaults } from "./day-under-faults.js";
import { killsDuringCreates } from "./kills-during-creates.js";
import { DEFAULTS, durationOf, type RunOptions } from "./options.js";
import type { Parts } from "./parts.js";
import { generatedRequests } from "./requests/generated-requests.js";
import { run, type Work } from "./run.js";

const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort()).once("SIGTERM", () => stopping.abort());

const duration = new Option("--for <duration>", "how long, e.g. 90s, 5m or 24h (default: 5m)");
const count = (number: number) =>
  new Option("--count <number>", "how many").argParser(checked(whole)).default(number);

const program = new Command("npm run endurance --").description(
  "Runs the service under load and faults, and checks everything that the service has acknowledged.",
);
addRun("faults", "load, hostile clients and faults", dayUnderFaults, { isDefault: true })
  .addOption(duration.argParser(checked(durationOf)))
  .option("--rate <number>", "requests per second (default: 100)", checked(whole))
  .option("--pause <seconds>", "the mean time between two faults of a kind (default: 20)", checked(whole))
  .option("--down <command>", "takes the database away, as a crash does")
  .option("--up <command>", "brings the database back")
  .option("--only <words...>", "only faults with one of these words in their names");
addRun("requests", "generated requests, right and wrong, without faults", generatedRequests).addOption(
  count(100_000),
);
addRun("kills", "kill -9 in the middle of creates, again and again", killsDuringCreates).addOption(
  count(200),
);

await program.parseAsync();
// A connection that a fault has left half open must not keep the process.
process.exit();

function addRun(name: string, description: string, work: Work, more = {}): Command {
  return program
    .command(name, more)
    .description(description)
    .option(
      "--seed <number>",
      "determines all that is random (default: a new seed, which the run prints)",
      checked(whole),
    )
    .option(
      "--storage <url>",
      "a URL as PETSTORE_STORAGE takes it (default: sqlite:pets.db, in a new folder)",
    )
    .option("--workers <number>", "how many processes serve (default: 1)", checked(whole))
    .option("--report <path>", "writes PATH.md and PATH.svg")
    .action(async ({ for: lasts, ...given }) => {
      const options = { ...DEFAULTS, ...given, ...(lasts && { duration: lasts }) };
      console.error(`seed ${options.seed}`);
      const folder = mkdtempSync(join(tmpdir(), "petstore-endurance-"));
      const parts = await run(work, options, folder, stopping.signal);
      process.exitCode = parts.findings.total === 0 ? 0 : 1;
      conclude(options, parts, folder);
    });
}

function conclude(
  { seed }: RunOptions,
  { timeline, history, troubles, findings, clock }: Parts,
  folder: string,
): void {
  const done = `${timeline.requests} requests, ${history.turn} pets, ${troubles.all.length} faults`;
  console.log(`seed ${seed}: ${done} in ${timeOf(clock.now())}; ${findings.total} broken rules`);
  if (findings.total === 0) rmSync(folder, { recursive: true });
  else console.log(`The storage and the log of the service are in ${folder}.`);
}

function checked<Value>(read: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

function whole(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error("must be a whole number");
  return Number(text);
}
