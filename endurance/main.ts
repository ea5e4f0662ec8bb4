import { Command, InvalidArgumentError } from "commander";
import { durationOf } from "./options.js";
import { run } from "./run.js";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort()).once("SIGTERM", () => interrupted.abort());

const program = new Command("npm run endurance --")
  .description("Runs the service under load and faults, and checks everything that it has acknowledged.")
  .option("--for <duration>", "how long, e.g. 90s, 5m or 24h", checked(durationOf), 300_000)
  .option(
    "--seed <number>",
    "what chance begins with; a run prints its own",
    checked(whole),
    Date.now() % 2 ** 31,
  )
  .option("--storage <url>", "as PETSTORE_STORAGE takes it", "sqlite:pets.db")
  .option("--workers <number>", "processes that serve", checked(whole), 1)
  .option("--rate <number>", "requests per second", checked(whole), 100)
  .option("--pause <seconds>", "the mean time between two faults of a kind", checked(whole), 20)
  .option("--down <command>", "takes the database away, as a crash does")
  .option("--up <command>", "brings the database back")
  .option("--only <words...>", "only faults with one of these words in their names")
  .option("--report <path>", "writes PATH.md and PATH.svg")
  .action(async ({ for: duration, ...options }) => {
    console.error(`seed ${options.seed}`);
    const { findings } = await run({ duration, ...options }, interrupted.signal);
    process.exitCode = findings.total === 0 ? 0 : 1;
  });

await program.parseAsync();

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
