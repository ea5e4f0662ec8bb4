import { asArchive, type PetArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageSight } from "../../../application/ports/storage-adapter.js";
import { Failure } from "../failure.js";
import { complain } from "../output.js";
import type { Program } from "../program.js";
import type { ProgressDisplay } from "../progress.js";

/** One side of a copy. */
interface Side {
  readonly name: "FROM" | "TO";
  readonly url: string;
  readonly adapter: StorageAdapter;
  readonly sight: StorageSight;
}

/**
 * Finds both sides of a copy, and opens none.
 *
 * @param writes whether the copy will write to the target
 * @throws Failure with exit code 2 if a storage cannot take part in this copy, whatever it holds
 */
export async function findSides(
  urls: { readonly from: string; readonly to: string },
  program: Program,
  writes: boolean,
): Promise<readonly [Side, Side]> {
  const from = await find("FROM", urls.from, program);
  const to = await find("TO", urls.to, program);
  const isSame = from.sight.identity !== undefined && from.sight.identity === to.sight.identity;
  if (from.url === to.url || isSame) {
    throw new Failure("FROM and TO are the same storage; name another one as TO.", 2);
  }
  for (const { name, sight } of writes ? [from] : [from, to]) {
    if (sight.exists === false) throw new Failure(`${name}: nothing is there; correct the URL.`, 2);
  }
  return [from, to];
}

async function find(name: Side["name"], url: string, program: Program): Promise<Side> {
  const adapter = await program.findStorage(url).catch(({ message }: Error) => {
    throw new Failure(`${name}: ${message}`, 2);
  });
  if (!adapter.durable) {
    const reason = "keeps pets in its own process alone, so that no copy can reach them";
    throw new Failure(`${name}: ${adapter.form} ${reason}; name another storage.`, 2);
  }
  // If the look fails, the opening says why.
  const look = async () => adapter.look?.(url);
  return { name, url, adapter, sight: (await look().catch(() => undefined)) ?? {} };
}

/** Opens a side, does the work on it, and closes it. Shows warnings of the storage above the progress. */
export async function withArchive<Result>(
  { name, url, adapter }: Side,
  program: Program,
  display: ProgressDisplay,
  work: (archive: PetArchive) => Promise<Result>,
): Promise<Result> {
  function tell(fields: object | string, message?: string): void {
    display.clear();
    console.error(`${name}: ${typeof fields === "string" ? fields : message}`);
  }
  const log = { debug() {}, info() {}, warn: tell, error: tell };
  const opening = program.openStorage(url, { log, addReading() {} });
  const repository: PetRepository = await opening.catch(({ message, cause }: Error) => {
    throw new Error(`${name}: ${message}`, { cause });
  });
  try {
    const archive = asArchive(repository);
    if (archive) return await work(archive);
    const reason = "can neither give nor take stored pets (it has no PetArchive)";
    throw new Failure(`${name}: a storage of the form ${adapter.form} ${reason}.`, 2);
  } finally {
    await repository.close().catch(({ message }: Error) => complain(`${name} does not close: ${message}`));
  }
}
