import { setTimeout as sleep } from "node:timers/promises";
import { asArchive, type PetArchive } from "../../../application/ports/pet-archive.js";
import type { PetRepository } from "../../../application/ports/pet-repository.js";
import type { StorageAdapter, StorageLog, StorageSight } from "../../../application/ports/storage-adapter.js";
import type { Storages } from "../program.js";
import type { ProgressDisplay } from "../progress.js";
import { SAME_STORAGE } from "./copy-messages.js";

/** How long a target may still look as if in use, and how often to look again, in milliseconds. */
const END_PATIENCE = 3000;
const LOOK_INTERVAL = 250;

/** A storage cannot take part in this copy, whatever it holds. The exit code is then 2. */
export class CannotTakePart extends Error {}

type Archive = PetRepository & PetArchive;
export type Archives = Readonly<Record<"source" | "target", Archive>>;

interface Found {
  readonly url: string;
  readonly adapter: StorageAdapter;
  readonly sight: StorageSight;
}

type Name = "FROM" | "TO";

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
  requireBoth(from, to, writes);
  if (writes) await requireFree(from, to);
  const source = await open("FROM", from, storages, display);
  try {
    return { source, target: await open("TO", to, storages, display) };
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
  return { url, adapter, sight: await lookAt(url, adapter) };
}

/** Looks at a storage without opening it. If that fails, `open` later says why. */
async function lookAt(url: string, adapter: StorageAdapter): Promise<StorageSight> {
  return (await adapter.look?.(url).catch(() => undefined)) ?? {};
}

function requireBoth(from: Found, to: Found, writes: boolean): void {
  const identity = from.sight.identity;
  if (from.url === to.url || (identity !== undefined && identity === to.sight.identity)) {
    throw new CannotTakePart(SAME_STORAGE);
  }
  const missing = "nothing is there; correct the URL.";
  if (from.sight.exists === false) throw new CannotTakePart(`FROM: ${missing}`);
  if (!writes && to.sight.exists === false) throw new CannotTakePart(`TO: ${missing}`);
}

async function requireFree(from: Found, to: Found): Promise<void> {
  if (await isInUse(to)) {
    throw new Error(
      "TO is in use by another program; stop the service that runs on it. Nothing was changed.",
    );
  }
  const wanted = (from.sight.bytes ?? 0) - (to.sight.bytes ?? 0);
  const { room } = to.sight;
  if (room !== undefined && wanted > room) {
    const [needs, has] = [wanted, room].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`);
    throw new Error(`TO has room for ${has}, and FROM needs ${needs}; make room. Nothing was changed.`);
  }
}

/** Looks for a while: a server may be slow to notice that the process that used it was killed. */
async function isInUse({ url, adapter, sight }: Found): Promise<boolean> {
  const deadline = performance.now() + END_PATIENCE;
  let inUse = sight.inUse === true;
  while (inUse && performance.now() < deadline) {
    await sleep(LOOK_INTERVAL);
    inUse = (await lookAt(url, adapter)).inUse === true;
  }
  return inUse;
}

async function open(
  name: Name,
  { url, adapter }: Found,
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
    const { reason } = fields as { reason?: unknown };
    const text = typeof fields === "string" ? fields : message;
    display.note(`${name}: ${text}${typeof reason === "string" ? ` (${reason})` : ""}`);
  }
  return { debug() {}, info() {}, warn: tell, error: tell };
}
