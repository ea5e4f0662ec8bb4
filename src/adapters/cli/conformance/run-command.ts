import { maskUrl } from "../../../application/ports/mask-url.js";
import type { StorageAdapter } from "../../../application/ports/storage-adapter.js";
import { Interrupted, onInterrupt } from "../interrupted.js";
import { ProgressDisplay } from "../progress.js";
import { type Choices, Conformance, Refusal } from "./conformance.js";
import { explainNotAsked, listStorages, printResults } from "./report.js";
import { runShell } from "./shell.js";

export interface Options extends Omit<Choices, "url"> {
  readonly cleanup?: string;
  readonly json?: true;
}

const EXIT_CODE = { held: 0, broken: 1, refused: 2 } as const;

/** Checks the contract on a storage, prints the result, and returns the exit code. */
export async function runConformance(
  url: string,
  { cleanup, json, ...choices }: Options,
  adapter: StorageAdapter,
): Promise<number> {
  const conformance = new Conformance(adapter, { url, ...choices });
  const display = new ProgressDisplay();
  const stopListening = onInterrupt((reason) => conformance.stop(reason));
  let failure: unknown;
  try {
    await conformance.run((done, total) => display.show({ title: "asking", done, total, unit: "rules" }));
  } catch (error) {
    failure = error;
  }
  stopListening();
  display.clear();
  const left = await clear(conformance.made, cleanup);
  const shown = left.map((made) => maskUrl(adapter, made));
  if (failure === undefined) {
    explainNotAsked(conformance.results);
    printResults(conformance.results, shown, json === true);
  }
  listStorages(shown);
  if (failure === undefined) {
    const isBroken = conformance.results.some(({ outcome }) => outcome === "broken");
    return isBroken ? EXIT_CODE.broken : EXIT_CODE.held;
  }
  if (failure instanceof Interrupted) {
    const done = conformance.results.filter(({ outcome }) => outcome !== "not asked").length;
    console.error(`petstore: interrupted after ${done} rules`);
    return failure.exitCode;
  }
  if (!(failure instanceof Refusal)) throw failure;
  console.error(`petstore: ${failure.message}`);
  return EXIT_CODE.refused;
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
