import { setImmediate as nextTurn } from "node:timers/promises";
import { CopyCatalogue, CopyRefused, type CopyResult } from "../../../application/copy-catalogue.js";
import type { CopyProgress } from "../../../application/copying/progress.js";
import { isPetConflict } from "../../../application/ports/pet-archive.js";
import { VerifyCopy } from "../../../application/verify-copy.js";
import { isPetstoreError } from "../../../domain/errors.js";
import { Interrupted, onInterrupt } from "../interrupted.js";
import { print, printJson } from "../output.js";
import type { Storages } from "../program.js";
import { ProgressDisplay } from "../progress.js";
import { conflictText, GO_ON, KEYS_REMINDER, refusalText, tellDifferences } from "./copy-messages.js";
import { type Archives, CannotTakePart, openArchives } from "./open-archives.js";

interface CopyOptions {
  readonly verify?: true;
  readonly json?: true;
}

const EXIT_CODE = { done: 0, failed: 1, cannot: 2 } as const;

/** Copies or verifies a catalogue, prints the result, and returns the exit code. */
export async function copy(
  from: string,
  to: string,
  { verify, json }: CopyOptions,
  storages: Storages,
): Promise<number> {
  const display = new ProgressDisplay();
  const ended = new AbortController();
  const stopListening = onInterrupt((reason) => ended.abort(reason));
  async function progressed({ phase, pets, total }: CopyProgress): Promise<void> {
    display.show({ title: phase, done: pets, total, unit: "pets" });
    // With storages that answer at once, signals and the bar would otherwise never get a turn.
    await nextTurn();
    ended.signal.throwIfAborted();
  }
  let archives: Archives | undefined;
  try {
    archives = await openArchives({ from, to }, storages, display, !verify);
    const { source, target } = archives;
    const began = performance.now();
    const found = verify
      ? await verifyOnly(new VerifyCopy(source, target, progressed))
      : await new CopyCatalogue(source, target, progressed).execute();
    const seconds = Math.round(performance.now() - began) / 1000;
    display.clear();
    const differs = tellDifferences(found);
    if (!verify && !differs) tellWhatRemains(found);
    const { copied, present, verified } = found;
    if (json) printJson({ copied, present, verified, seconds });
    else print(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
    return differs ? EXIT_CODE.failed : EXIT_CODE.done;
  } catch (error) {
    display.clear();
    return explain(error);
  } finally {
    stopListening();
    await closeBoth(archives);
  }
}

async function verifyOnly(verify: VerifyCopy): Promise<CopyResult> {
  const found = await verify.execute();
  return { ...found, copied: 0, present: found.onBoth, since: 0 };
}

function tellWhatRemains({ since }: CopyResult): void {
  if (since > 0) console.error(`${since} pets came to FROM meanwhile. ${GO_ON}`);
  console.error(KEYS_REMINDER);
}

/** Closes both sides. If one fails to close, the other closes all the same. */
async function closeBoth({ source, target }: Partial<Archives> = {}): Promise<void> {
  const closings = await Promise.allSettled([source?.close(), target?.close()]);
  for (const [side, closing] of closings.entries()) {
    if (closing.status === "fulfilled") continue;
    const { message } = closing.reason as Error;
    console.error(`petstore: ${side === 0 ? "FROM" : "TO"} does not close: ${message}`);
  }
}

/** Prints why the copy ended, and returns the exit code. @throws the error, if nobody foresaw it */
function explain(error: unknown): number {
  if (error instanceof CannotTakePart) return tell(error.message, EXIT_CODE.cannot);
  if (error instanceof CopyRefused) return tell(refusalText(error.difference), EXIT_CODE.failed);
  if (error instanceof Interrupted) return tell(`the copy was interrupted. ${GO_ON}`, error.exitCode);
  if (isPetConflict(error)) return tell(conflictText(error.id), EXIT_CODE.failed);
  if (isPetstoreError(error)) throw new Error(`a storage is away. ${GO_ON}`, { cause: error.cause });
  throw error;
}

function tell(message: string, exitCode: number): number {
  console.error(`petstore: ${message}`);
  return exitCode;
}
