import { CopyPets, type OnProgress } from "../application/copy-pets.js";
import type { PetArchive } from "../application/ports/pet-archive.js";
import { SILENT_CONTEXT, type Storage } from "../application/storage-adapter.js";
import { isStorageUnavailable } from "../domain/errors.js";
import { UsageError } from "../settings.js";
import { Storages } from "../storages.js";
import { interruption } from "./interruption.js";
import { type Output, print, printJson, warn } from "./output.js";
import { Progress } from "./progress.js";

const REMEDY = "run the same command again: it resumes with what is missing";

export async function runCopy(from: string, to: string, options: Output & { verify?: true }): Promise<void> {
  const began = performance.now();
  const storages = await Storages.load(process.env);
  const progress = new Progress("pets");
  const signal = interruption(`interrupted; ${REMEDY}`, () => progress.stop());
  const copying = copy(storages, from, to, !options.verify, (...step) => {
    signal.throwIfAborted();
    progress.show(...step);
  });
  const { faults, ...counts } = await copying.finally(() => progress.stop());
  const { copied, present, verified, meanwhile } = counts;
  const seconds = Math.round(performance.now() - began) / 1000;
  const line = `copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`;
  await (options.json ? printJson({ ...counts, seconds }) : print(line));
  faults.forEach(warn);
  if (faults.length > 0) process.exitCode = 1;
  else if (meanwhile > 0) {
    warn(`FROM got ${meanwhile} more meanwhile, which TO lacks: run it again.`);
    process.exitCode = 3;
  }
}

/** @throws UsageError if a storage cannot take part; Error that says what to do */
export function copy(
  storages: Storages,
  from: string,
  to: string,
  mayWrite: boolean,
  onProgress: OnProgress,
): ReturnType<CopyPets["execute"]> {
  return withArchive(storages, "FROM", from, false, async (source) => {
    const [first] = await source.readPets({ after: 0n, limit: 1 });
    if (!first && (await source.highestId()) === 0n) {
      throw new UsageError("FROM is empty and has never assigned an id; check the URL.");
    }
    return withArchive(storages, "TO", to, mayWrite, (target) =>
      new CopyPets(source, target, mayWrite, onProgress).execute(),
    );
  });
}

/** Opens one side, uses its archive, and closes it. Errors name the side. */
async function withArchive<Result>(
  storages: Storages,
  side: string,
  url: string,
  mayMake: boolean,
  use: (archive: PetArchive) => Promise<Result>,
): Promise<Result> {
  const describe = (error: Error) => {
    const fault = isStorageUnavailable(error) ? `is unavailable; ${REMEDY}` : error.message;
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
    return storages.redact(url)(`${side}: ${fault}${cause}`);
  };
  const fail = (error: Error) => Promise.reject(new Error(describe(error)));
  const refuse = (error: Error) =>
    isStorageUnavailable(error) ? fail(error) : Promise.reject(new UsageError(describe(error)));

  const storage = await open(storages, url, mayMake).catch(refuse);
  try {
    // A storage may detect only on first use that it does not exist.
    await storage.ping().catch(refuse);
    const { archive } = storage;
    if (!archive) return await refuse(new Error("the storage has no archive; use another storage."));
    return await use({
      readPets: (range) => archive.readPets(range).catch(fail),
      storePets: (pets) => archive.storePets(pets).catch(fail),
      countPets: () => archive.countPets().catch(fail),
      highestId: () => archive.highestId().catch(fail),
      raiseIds: (id) => archive.raiseIds(id).catch(fail),
    });
  } finally {
    // Confirmed writes are durable even if closing fails.
    await storage.close().catch(() => undefined);
  }
}

async function open(storages: Storages, url: string, mayMake: boolean): Promise<Storage> {
  const { durable, form } = storages.find(url);
  if (!durable) throw new Error(`${form} cannot be copied: its pets exist only inside one process.`);
  return storages.open(url, { ...SILENT_CONTEXT, mayMake });
}
