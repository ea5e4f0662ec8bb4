import type { Command } from "commander";
import { type Archive, archivesOf } from "../application/archives.js";
import type { Archives, OnProgress } from "../application/compare-archives.js";
import { CopyArchives } from "../application/copy-archives.js";
import { SILENT_CONTEXT } from "../application/storage-adapter.js";
import { isStorageUnavailable } from "../domain/errors.js";
import { Failure, interruption } from "./exit.js";
import { JSON_OPTION, type Output, print, printJson, warn } from "./output.js";
import type { Program, Storages } from "./program.js";
import { Progress } from "./progress.js";

const REMEDY = "run the same command again: it resumes with what is missing";

export function addCopy(petstore: Command, program: Program): void {
  petstore
    .command("copy")
    .description("copy every pet exactly, and compare both sides; run it again to resume or to catch up")
    .argument("<FROM>", "the URL of the storage to copy from; it may be in use")
    .argument("<TO>", "the URL of a storage that is empty, or has only pets that FROM has")
    .option("--verify", "only compare both sides, and write nothing")
    .option(...JSON_OPTION)
    .action(async (from: string, to: string, { verify, json }: Output & { verify?: true }) => {
      const began = performance.now();
      const progress = new Progress("pets");
      const signal = interruption(`interrupted; ${REMEDY}`, () => progress.stop());
      const work = copy(await program.loadStorages(), from, to, !verify, (...step) => {
        signal.throwIfAborted();
        progress.show(...step);
      });
      const { exitCode, messages, counts } = await work.finally(() => progress.stop());
      process.exitCode = exitCode;
      messages.forEach(warn);
      const seconds = Math.round(performance.now() - began) / 1000;
      const { copied, present, verified } = counts;
      if (json) printJson({ ...counts, seconds });
      else print(`copied ${copied}, present ${present}, verified ${verified} in ${seconds.toFixed(1)} s`);
    });
}

/** @throws Error that says what to do, perhaps with an `exitCode` */
export function copy(
  storages: Storages,
  from: string,
  to: string,
  mayWrite: boolean,
  onProgress: OnProgress,
) {
  return withArchives(storages, "FROM", from, false, async (sources) => {
    const used: Archive[] = [];
    for (const source of sources.values()) if (await isUsed(source)) used.push(source);
    if (used.length === 0) throw new Failure("FROM is empty and has never assigned an id; check the URL.", 2);
    return withArchives(storages, "TO", to, mayWrite, async (targets) => {
      const repositories = [...sources].flatMap(([name, source]): Archives[] => {
        const target = targets.get(name);
        if (target) return [[source, target]];
        if (used.includes(source))
          throw new Failure(`TO cannot keep the ${name} of FROM; use another storage.`, 2);
        return [];
      });
      const copying = new CopyArchives(repositories, mayWrite, onProgress);
      const { faults: messages, ...counts } = await copying.execute();
      if (messages.length > 0) return { exitCode: 1, messages, counts };
      if (counts.meanwhile === 0) return { exitCode: 0, messages, counts };
      const late = `FROM got ${counts.meanwhile} more meanwhile, which TO may lack: run it again.`;
      return { exitCode: 3, messages: [late], counts };
    });
  });
}

async function isUsed(archive: Archive): Promise<boolean> {
  const [first] = await archive.read({ after: 0n, limit: 1 });
  return first !== undefined || (await archive.highestId()) > 0n;
}

/** Opens one side, uses its archives, and closes it. Errors name the side. */
async function withArchives<Result>(
  storages: Storages,
  side: string,
  url: string,
  mayMake: boolean,
  use: (archives: ReadonlyMap<string, Archive>) => Promise<Result>,
): Promise<Result> {
  const failWith = (exitCode: 1 | 2) => (error: Error) => {
    const isUnavailable = isStorageUnavailable(error);
    const fault = isUnavailable ? `is unavailable; ${REMEDY}` : error.message;
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
    throw new Failure(storages.redact(url)(`${side}: ${fault}${cause}`), isUnavailable ? 1 : exitCode);
  };
  const open = async () => {
    const { durable, form } = storages.find(url);
    if (!durable) throw new Error(`${form} cannot be copied: its pets exist only inside one process.`);
    return storages.open(url, { ...SILENT_CONTEXT, mayMake });
  };
  const storage = await open().catch(failWith(2));
  try {
    // Some storages find out only now that they do not exist.
    const ready = storage.ping().then(() => [...archivesOf(storage)]);
    const archives = await ready.catch(failWith(2));
    return await use(new Map(archives.map(([name, archive]) => [name, catching(archive, failWith(1))])));
  } finally {
    // Confirmed writes are durable even if closing fails.
    await storage.close().catch(() => undefined);
  }
}

function catching(archive: Archive, fail: (error: Error) => never): Archive {
  return {
    name: archive.name,
    read: (range) => archive.read(range).catch(fail),
    store: (batch) => archive.store(batch).catch(fail),
    count: () => archive.count().catch(fail),
    highestId: () => archive.highestId().catch(fail),
    raiseIds: (id) => archive.raiseIds(id).catch(fail),
  };
}
