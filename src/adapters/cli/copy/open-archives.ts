import { asArchive, type PetArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageLog, StorageSight } from "../../../application/ports/storage-adapter.js";
import type { Storages } from "../program.js";
import type { ProgressDisplay } from "../progress.js";

/** A storage cannot take part in this copy, whatever it holds. The exit code is then 2. */
export class CannotTakePart extends Error {}

type Archive = PetRepository & PetArchive;
export type Archives = Readonly<Record<"source" | "target", Archive>>;

type Name = "FROM" | "TO";

interface Found {
  readonly name: Name;
  readonly url: string;
  readonly adapter: StorageAdapter;
  readonly sight: StorageSight;
}

/**
 * Opens both sides of a copy, the source first.
 *
 * @param writes whether the copy will write to the target
 * @throws CannotTakePart; Error that says what to correct
 */
export async function openArchives(
  urls: { readonly from: string; readonly to: string },
  storages: Storages,
  display: ProgressDisplay,
  writes: boolean,
): Promise<Archives> {
  const from = await find("FROM", urls.from, storages);
  const to = await find("TO", urls.to, storages);
  const isSame = from.sight.identity !== undefined && from.sight.identity === to.sight.identity;
  if (from.url === to.url || isSame) {
    throw new CannotTakePart("FROM and TO are the same storage; name another one as TO.");
  }
  for (const { name, sight } of writes ? [from] : [from, to]) {
    if (sight.exists === false) throw new CannotTakePart(`${name}: nothing is there; correct the URL.`);
  }
  const source = await open(from, storages, display);
  try {
    return { source, target: await open(to, storages, display) };
  } catch (error) {
    // Its failure must not hide why TO cannot be opened.
    await source.close().catch(() => undefined);
    throw error;
  }
}

async function find(name: Name, url: string, storages: Storages): Promise<Found> {
  const adapter = await storages.findStorage(url).catch((error: Error) => {
    throw new CannotTakePart(`${name}: ${error.message}`);
  });
  if (!adapter.durable) {
    throw new CannotTakePart(
      `${name}: ${adapter.form} keeps pets in its own process alone, so that no copy can reach them; name another storage.`,
    );
  }
  // If the look fails, `open` says why.
  const look = async () => adapter.look?.(url);
  return { name, url, adapter, sight: (await look().catch(() => undefined)) ?? {} };
}

async function open(
  { name, url, adapter }: Found,
  storages: Storages,
  display: ProgressDisplay,
): Promise<Archive> {
  const context = { log: logOf(name, display), addReading() {} };
  const repository = await storages.openStorage(url, context).catch((cause: Error) => {
    throw new Error(`${name}: ${cause.message}`, { cause: cause.cause });
  });
  const archive = asArchive(repository);
  if (archive) return archive;
  await repository.close();
  throw new CannotTakePart(
    `${name}: a storage of the form ${adapter.form} can neither give nor take stored pets (it has no PetArchive).`,
  );
}

/** Shows the warnings of a storage among the progress. */
function logOf(name: Name, display: ProgressDisplay): StorageLog {
  function tell(fields: object | string, message?: string): void {
    display.note(`${name}: ${typeof fields === "string" ? fields : message}`);
  }
  return { debug() {}, info() {}, warn: tell, error: tell };
}
