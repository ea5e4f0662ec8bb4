import { randomUUID } from "node:crypto";
import { CopyCatalogue, CopyRefused, type CopyResult } from "../../../application/copy-catalogue.js";
import { isPetConflict } from "../../../application/ports/pet-archive.js";
import { VerifyCopy } from "../../../application/verify-copy.js";
import { Interrupted, onInterrupt } from "../interrupted.js";
import { printJson } from "../output.js";
import type { Storages } from "../program.js";
import { ProgressDisplay } from "../progress.js";
import { type Differences, GO_ON, KEYS_REMINDER, refusalText, tellDifferences } from "./copy-messages.js";
import { type Archives, CannotTakePart, openArchives } from "./open-archives.js";
import { TerminalObserver } from "./terminal-observer.js";

interface CopyOptions {
  readonly verify?: true;
  readonly json?: true;
}

type Counts = Pick<CopyResult, "copied" | "present" | "verified">;
type Found = Counts & Differences & Pick<CopyResult, "since">;

const EXIT_CODE = { done: 0, failed: 1, cannot: 2 } as const;

/** Copies or verifies a catalogue, prints the result, and returns the exit code. */
export async function copy(
  from: string,
  to: string,
  { verify, json }: CopyOptions,
  storages: Storages,
): Promise<number> {
  const display = new ProgressDisplay();
  const observer = new TerminalObserver(display);
  const stopListening = onInterrupt((reason) => observer.end(reason));
  let archives: Archives | undefined;
  try {
    archives = await openArchives({ from, to }, storages, display, !verify);
    const began = performance.now();
    const found = await (verify ? verifyOnly : copyAll)(archives, observer);
    display.clear();
    const differs = tellDifferences(found);
    if (!verify && !differs) tellWhatRemains(found.since);
    print(found, performance.now() - began, json);
    return differs ? EXIT_CODE.failed : EXIT_CODE.done;
  } catch (error) {
    display.clear();
    return explain(error);
  } finally {
    observer.end(new Error("The copy is over."));
    stopListening();
    await closeBoth(archives);
  }
}

/**
 * Closes both sides. If one fails to close, the other closes all the same, and the message still says why the copy
 * ended.
 */
async function closeBoth(archives: Archives | undefined): Promise<void> {
  if (!archives) return;
  const closings = [archives.source.close(), archives.target.close()];
  for (const [side, closing] of (await Promise.allSettled(closings)).entries()) {
    if (closing.status === "fulfilled") continue;
    const { message } = closing.reason as Error;
    console.error(`petstore: ${side === 0 ? "FROM" : "TO"} does not close: ${message}`);
  }
}

function copyAll({ source, target }: Archives, observer: TerminalObserver): Promise<Found> {
  return new CopyCatalogue(source, target, observer, randomUUID()).execute();
}

async function verifyOnly({ source, target }: Archives, observer: TerminalObserver): Promise<Found> {
  const found = await new VerifyCopy(source, target, observer).execute();
  return { ...found, copied: 0, present: found.onBoth, since: 0 };
}

function tellWhatRemains(since: number): void {
  if (since > 0) console.error(`${since} pets came to FROM meanwhile. ${GO_ON}`);
  console.error(KEYS_REMINDER);
}

function print({ copied, present, verified }: Counts, milliseconds: number, json: true | undefined): void {
  const seconds = Math.round(milliseconds) / 1000;
  if (json) printJson({ copied, present, verified, seconds });
  else console.log(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
}

/** Prints why the copy ended, and returns the exit code. @throws the error, if nobody foresaw it */
function explain(error: unknown): number {
  if (error instanceof CannotTakePart) return tell(error.message, EXIT_CODE.cannot);
  if (error instanceof CopyRefused) {
    const { reason } = error.refusal;
    return tell(refusalText(error.refusal), reason === "same_storage" ? EXIT_CODE.cannot : EXIT_CODE.failed);
  }
  if (error instanceof Interrupted) return tell(`the copy was interrupted. ${GO_ON}`, error.exitCode);
  if (isPetConflict(error)) {
    const what = `TO has other content under the id of pet ${error.id}, or under the key of its record`;
    return tell(
      `${what}, which was not there at first: end the other program that writes to TO.`,
      EXIT_CODE.failed,
    );
  }
  throw error;
}

function tell(message: string, exitCode: number): number {
  console.error(`petstore: ${message}`);
  return exitCode;
}
