import type { Command } from "commander";
import { CopyCatalogue, CopyRefused, type CopyResult } from "../../../application/copy-catalogue.js";
import type { CopyProgress } from "../../../application/copying/progress.js";
import { isPetConflict } from "../../../application/ports/pet-archive.js";
import { VerifyCopy } from "../../../application/verify-copy.js";
import { PATIENCE } from "../../guard/patience.js";
import { interruption } from "../failure.js";
import { complain, JSON_OPTION, type Output, print, printJson } from "../output.js";
import type { Program } from "../program.js";
import { ProgressDisplay } from "../progress.js";
import { withArchives } from "./archives.js";
import { conflictText, differenceTexts, GO_ON, KEYS_REMINDER, refusalText } from "./messages.js";

const help = (from: string, to: string) => `
Examples:
  petstore copy ${from} ${to}
  petstore copy --verify --json ${from} ${to}

The same command goes on where a copy ended early, and copies what came to FROM since. Nothing may write to TO.
If a storage goes away, the copy asks it for up to ${PATIENCE / 1000} s, and goes on once it is back.

Exit codes:
  0          TO has every pet of FROM, and each was compared
  1          there is a difference, TO was refused, or a storage was away for longer
  2          the command line, or a storage that cannot take part
  3          pets came to FROM meanwhile, which TO may lack: run it again
  130, 143   SIGINT or SIGTERM ended it early`;

interface Options extends Output {
  readonly verify?: true;
}

export function addCopy(petstore: Command, program: Program): void {
  petstore
    .command("copy")
    .description(
      "copy all pets exactly from one storage to another, and verify them; run it again to go on or to catch up",
    )
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or has pets of FROM only")
    .option("--verify", "compare the two, and change nothing")
    .option(...JSON_OPTION)
    .addHelpText("after", help(...program.exampleUrls))
    .action(async (from: string, to: string, options: Options) => {
      const display = new ProgressDisplay();
      const began = performance.now();
      const found = await copy({ from, to }, options.verify === true, program, display)
        .finally(() => display.clear())
        .catch((error: unknown) => {
          throw explained(error);
        });
      report(found, options, Math.round(performance.now() - began) / 1000);
    });
}

/** Copies or only verifies. @throws any error, also of the use cases */
async function copy(
  urls: { readonly from: string; readonly to: string },
  verifies: boolean,
  program: Program,
  display: ProgressDisplay,
): Promise<CopyResult> {
  const signal = interruption(() => `the copy was interrupted. ${GO_ON}`);
  function progressed({ phase, pets, total }: CopyProgress): void {
    display.show({ title: phase, done: pets, total, unit: "pets" });
  }
  return withArchives(urls, { writes: !verifies, program, display, signal }, async ({ source, target }) => {
    if (!verifies) return new CopyCatalogue(source, target, progressed).execute();
    const found = await new VerifyCopy(source, target, progressed).execute();
    return { ...found, copied: 0, present: found.onBoth };
  });
}

function report(found: CopyResult, { verify, json }: Options, seconds: number): void {
  const { copied, present, verified, since } = found;
  const differences = differenceTexts(found);
  for (const text of differences) complain(text);
  if (differences.length > 0) process.exitCode = 1;
  else if (since > 0) {
    process.exitCode = 3;
    complain(`${since} or more pets came to FROM meanwhile, and TO may lack them: run it again.`);
  } else if (!verify) console.error(KEYS_REMINDER);
  if (json) printJson({ copied, present, verified, meanwhile: since, seconds });
  else print(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
}

/** The error in words that say what to do, if it was foreseen. */
function explained(error: unknown): unknown {
  if (error instanceof CopyRefused) return new Error(refusalText(error.difference));
  if (isPetConflict(error)) return new Error(conflictText(error.id));
  return error;
}
