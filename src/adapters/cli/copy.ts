import type { Command } from "commander";
import { type Archive, archivesOf } from "../../application/archives.js";
import { CompareArchives, type Comparison, type OnProgress } from "../../application/compare-archives.js";
import { CopyArchives, type CopyResult } from "../../application/copy-archives.js";
import { SILENT_CONTEXT } from "../../application/storage-adapter.js";
import type { Archives } from "../../application/walk-archives.js";
import { isStorageUnavailable } from "../../domain/errors.js";
import { Failure, interruption } from "./exit.js";
import { JSON_OPTION, type Output, print, printJson, warn } from "./output.js";
import type { Program, Storages } from "./program.js";
import { Progress } from "./progress.js";

const REMEDY = "run the same command again: it resumes with what is missing";

type Options = { readonly verify?: true };
type Work = (archives: ReadonlyMap<string, Archive>) => Promise<Report>;

interface Report {
  readonly exitCode: 0 | 1 | 3;
  readonly faults: readonly string[];
  readonly counts: { readonly copied: number; present: number; verified: number; meanwhile: number };
}

export function addCopy(petstore: Command, program: Program): void {
  petstore
    .command("copy")
    .description("copy every pet exactly, and compare both sides; run it again to resume or to catch up")
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or has only pets that FROM has")
    .option("--verify", "only compare both sides, and write nothing")
    .option(...JSON_OPTION)
    .action(async (from: string, to: string, options: Options & Output) => {
      const began = performance.now();
      const progress = new Progress("pets");
      const signal = interruption(`interrupted; ${REMEDY}`, () => progress.stop());
      const work = copy(await program.loadStorages(), [from, to], options, (...step) => {
        signal.throwIfAborted();
        progress.show(...step);
      });
      const { exitCode, faults, counts } = await work.finally(() => progress.stop());
      const seconds = Math.round(performance.now() - began) / 1000;
      process.exitCode = exitCode;
      for (const fault of faults) warn(fault);
      const { copied, present, verified } = counts;
      if (options.json) printJson({ ...counts, seconds });
      else print(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
    });
}

/** @throws Failure that says what to do */
export function copy(
  storages: Storages,
  [from, to]: readonly [string, string],
  { verify }: Options,
  onProgress: OnProgress,
): Promise<Report> {
  return withArchives(storages, "FROM", from, false, async (sources) => {
    const used: string[] = [];
    for (const [repository, source] of sources) if (await isUsed(source)) used.push(repository);
    if (used.length === 0) throw new Failure("FROM is empty and has never assigned an id; check the URL.", 2);
    return withArchives(storages, "TO", to, !verify, async (targets) => {
      const lost = used.find((repository) => !targets.has(repository));
      if (lost) throw new Failure(`TO cannot keep the ${lost} of FROM; use another storage.`, 2);
      const resources = [...sources].flatMap(([repository, source]): Archives[] => {
        const target = targets.get(repository);
        return target ? [[source, target]] : [];
      });
      const UseCase = verify ? CompareArchives : CopyArchives;
      return report(await new UseCase(resources, onProgress).execute(), verify);
    });
  });
}

async function isUsed(archive: Archive): Promise<boolean> {
  const [first] = await archive.read({ after: 0n, limit: 1 });
  return first !== undefined || (await archive.highestId()) > 0n;
}

/** Opens one side of the copy, works on its archives, and closes it. Errors name the side. */
async function withArchives(storages: Storages, side: string, url: string, mayMake: boolean, work: Work) {
  function reject({ message }: Error): never {
    throw new Failure(`${side}: ${message}`, 2);
  }
  const find = async () => storages.find(url);
  const { durable, form } = await find().catch(reject);
  if (!durable) reject(new Error(`${form} cannot be copied: its pets exist only inside one process.`));
  const storage = await storages.open(url, { ...SILENT_CONTEXT, mayMake }).catch(reject);
  const redact = storages.redact(url);
  function blame(error: Error): never {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
    const fault = isStorageUnavailable(error) ? `is unavailable; ${REMEDY}` : error.message;
    throw new Failure(redact(`${side}: ${fault}${cause}`), 1);
  }
  try {
    const archives = new Map<string, Archive>();
    for (const [repository, archive] of archivesOf(storage)) {
      if (!archive) reject(new Error(`${form} has no archive of its ${repository}; use another storage.`));
      archives.set(repository, blaming(archive, blame));
    }
    // Some storages find out only now that they do not exist.
    await storage.ping().catch((error) => (isStorageUnavailable(error) ? blame(error) : reject(error)));
    return await work(archives);
  } finally {
    // Confirmed writes are durable even if closing fails.
    await storage.close().catch(() => undefined);
  }
}

function blaming(archive: Archive, blame: (error: Error) => never): Archive {
  return {
    ...archive,
    read: (range) => archive.read(range).catch(blame),
    store: (batch) => archive.store(batch).catch(blame),
    count: () => archive.count().catch(blame),
    highestId: () => archive.highestId().catch(blame),
    raiseIds: (id) => archive.raiseIds(id).catch(blame),
  };
}

function report(found: Comparison & Partial<CopyResult>, verify: true | undefined): Report {
  const { verified, missing, firstMissing, different, late, copied = 0, present = verified } = found;
  const faults = found.differences.map(({ name, id, in: member }) =>
    member === "target" ? `${name} ${id} is in TO but not in FROM` : `${name} ${id} differs in its ${member}`,
  );
  if (found.isRefused) {
    throw new Failure(`TO may contain only what FROM has; ${faults[0]}. Nothing was changed.`, 1);
  }
  if (different > faults.length) faults.push(`${different - faults.length} more differ`);
  // Unless TO has lost something, what it lacks after a copy was created in FROM meanwhile.
  const isLacking = missing > 0 && (verify || present + copied > verified + different);
  if (isLacking) {
    faults.push(`TO lacks ${missing} that FROM has; the first is ${firstMissing?.name} ${firstMissing?.id}`);
  }
  if (found.idsBehind) faults.push("TO could reuse ids that FROM has assigned");
  const meanwhile = isLacking ? late : missing + late;
  const exitCode = faults.length > 0 ? 1 : meanwhile > 0 ? 3 : 0;
  if (exitCode === 3) {
    faults.push(`${meanwhile} were created in FROM meanwhile, and TO may lack them: run it again.`);
  }
  return { exitCode, faults, counts: { copied, present, verified, meanwhile } };
}
