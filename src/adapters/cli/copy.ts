import type { Command } from "commander";
import { ComparePets, type Comparison, type OnProgress } from "../../application/compare-pets.js";
import { CopyPets, type CopyResult } from "../../application/copy-pets.js";
import type { PetArchive } from "../../application/ports/pet-archive.js";
import { SILENT_CONTEXT } from "../../application/storage-adapter.js";
import { isStorageUnavailable } from "../../domain/errors.js";
import { Failure, interruption } from "./exit.js";
import { JSON_OPTION, type Output, print, printJson, warn } from "./output.js";
import type { Program } from "./program.js";
import { Progress } from "./progress.js";

const REMEDY = "run the same command again: it resumes with what is missing";

type Options = Output & { readonly verify?: true };
type Found = Comparison & Partial<CopyResult>;
type Work = (archive: PetArchive) => Promise<Found>;

export function addCopy(petstore: Command, program: Program): void {
  petstore
    .command("copy")
    .description("copy every pet exactly, and compare both sides; run it again to resume or to catch up")
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or has pets of FROM only")
    .option("--verify", "only compare both sides, and write nothing")
    .option(...JSON_OPTION)
    .action(async (from: string, to: string, options: Options) => {
      const began = performance.now();
      const progress = new Progress("pets");
      const signal = interruption(`interrupted; ${REMEDY}`, () => progress.stop());
      const onProgress: OnProgress = (...step) => {
        signal.throwIfAborted();
        progress.show(...step);
      };
      const work = withArchive(program, "FROM", from, false, async (source) => {
        const [first] = await source.readPets({ after: 0n, limit: 1 });
        if (!first && (await source.highestId()) === 0n) {
          throw new Failure("FROM has no pet, and never gave an id; correct the URL.", 2);
        }
        return withArchive(program, "TO", to, !options.verify, async (target) => {
          const UseCase = options.verify ? ComparePets : CopyPets;
          return new UseCase(source, target, onProgress).execute();
        });
      });
      const found = await work.finally(() => progress.stop());
      report(found, options, Math.round(performance.now() - began) / 1000);
    });
}

/** Opens one side of the copy, works on its archive, and closes it. Errors name the side. */
async function withArchive(program: Program, side: string, url: string, mayMake: boolean, work: Work) {
  function reject({ message }: Error): never {
    throw new Failure(`${side}: ${message}`, 2);
  }
  const storages = await program.loadStorages();
  const find = async () => storages.find(url);
  const { durable, form } = await find().catch(reject);
  if (!durable) reject(new Error(`${form} keeps its pets in a single process; name another storage.`));
  const storage = await storages.open(url, { ...SILENT_CONTEXT, mayMake }).catch(reject);
  const redact = storages.redact(url);
  function blame(error: Error): never {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
    const fault = isStorageUnavailable(error) ? `is away; ${REMEDY}` : error.message;
    throw new Failure(redact(`${side}: ${fault}${cause}`), 1);
  }
  try {
    const { archive } = storage;
    if (!archive) reject(new Error(`${form} has no archive, which a copy needs; name another storage.`));
    // Some storages find out only now that they do not exist.
    await storage.ping().catch((error) => (isStorageUnavailable(error) ? blame(error) : reject(error)));
    return await work({
      readPets: (range) => archive.readPets(range).catch(blame),
      storePets: (pets) => archive.storePets(pets).catch(blame),
      countPets: () => archive.countPets().catch(blame),
      highestId: () => archive.highestId().catch(blame),
      raiseIds: (id) => archive.raiseIds(id).catch(blame),
    });
  } finally {
    // Confirmed writes are durable even if closing fails.
    await storage.close().catch(() => undefined);
  }
}

function report(found: Found, { verify, json }: Options, seconds: number): void {
  const { verified, missing, different, since, copied = 0, present = verified } = found;
  const faults = found.differences.map(({ id, in: where }) =>
    where === "target" ? `pet ${id} is in TO and not in FROM` : `pet ${id} differs in its ${where}`,
  );
  if (found.isRefused) {
    throw new Failure(`TO must hold nothing but pets of FROM; ${faults[0]}. Nothing was changed.`, 1);
  }
  if (different > faults.length) faults.push(`${different - faults.length} more pets differ`);
  // Unless TO has lost pets, those that it lacks after a copy were created in FROM meanwhile.
  const hasLost = present + copied > verified + different;
  const isLacking = missing > 0 && (verify || hasLost);
  if (isLacking) faults.push(`TO lacks pets of FROM: ${missing}, the first is pet ${found.firstMissing}`);
  if (found.idsBehind) faults.push("TO may give ids again that FROM has given");
  const meanwhile = isLacking ? since : Math.max(missing, since);
  if (faults.length > 0) process.exitCode = 1;
  else if (meanwhile > 0) {
    faults.push(
      `${meanwhile} or more pets were created in FROM meanwhile, and TO may lack them: run it again.`,
    );
    process.exitCode = 3;
  }
  for (const fault of faults) warn(fault);
  if (json) printJson({ copied, present, verified, meanwhile, seconds });
  else print(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
}
