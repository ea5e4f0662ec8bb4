import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { KEY_NAME } from "../../application/ports/key-store.js";
import { digestOf } from "./api-key.js";

/** How long to wait for the lock of another process, in milliseconds. */
const LOCK_TIMEOUT = 10_000;

const keyRecord = v.object({
  name: v.pipe(v.string(), v.regex(KEY_NAME)),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  created: v.string(),
  // RFC 3339 allows lower case.
  expires: v.nullable(v.pipe(v.string(), v.toUpperCase(), v.isoTimestamp())),
});
const keysFile = v.object({ version: v.literal(1), keys: v.array(keyRecord) });

/** An API key in the file, which stores only its digest. */
export type KeyRecord = v.InferOutput<typeof keyRecord>;

/** The record of a key created now. */
export function createKeyRecord(name: string, secret: string, expires: string | null = null): KeyRecord {
  return { name, sha256: digestOf(secret), created: new Date().toISOString(), expires };
}

/** In milliseconds since the epoch; -Infinity if `Date.parse` cannot parse it, as the offset `+05`. */
export function expiryOf(expires: string | null): number {
  return expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) || Number.NEGATIVE_INFINITY;
}

/** @throws Error that says what is wrong with the file and what to do */
export async function readKeys(path: string): Promise<readonly KeyRecord[]> {
  const text = await readFile(path, "utf8").catch((cause) => reject(path, cause));
  try {
    return v.parse(keysFile, JSON.parse(text)).keys;
  } catch (error) {
    // Only the place, since the message may quote the file.
    const place = error instanceof v.ValiError && v.getDotPath(error.issues[0]);
    const where = place ? ` at ${place}` : "";
    throw new Error(`The keys file ${path} is corrupt${where}; restore a backup, or move it out of the way.`);
  }
}

/** Creates the file, atomically and durably. Resolves to whether it did not exist. */
export async function createKeysFile(path: string, keys: readonly KeyRecord[]): Promise<boolean> {
  if (existsSync(path)) return false;
  return write(path, keys, async (temporary) => {
    const error = await link(temporary, path).catch((cause: NodeJS.ErrnoException) => cause);
    if (!error || error.code === "EEXIST") return !error;
    // Perhaps a file system without hard links, e.g. exFAT. Only there can a stale lock stop a first start.
    return withLock(path, async () => {
      const isNew = !existsSync(path);
      if (isNew) await rename(temporary, path);
      return isNew;
    });
  });
}

/** Replaces the keys, atomically and durably, while no other process changes them. */
export async function changeKeys(
  path: string,
  edit: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  // Follows symlinks: the service may read the target.
  const file = await realpath(path).catch(() => path);
  await withLock(file, async () =>
    write(file, edit(await readKeys(file)), (temporary) => rename(temporary, file)),
  );
}

/** Writes a temporary file, which `publish` gives its name. */
async function write<Result>(
  path: string,
  keys: readonly KeyRecord[],
  publish: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    const result = await publish(temporary);
    // Otherwise a power cut could undo a rename, and bring back a revoked key. Errors are ignored, as in SQLite: some file
    // systems cannot sync a folder, and a key that is stored by now must be shown.
    const folder = await open(dirname(path)).catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
    return result;
  } catch (cause) {
    return reject(path, cause as NodeJS.ErrnoException);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Runs `change` while no other process changes the keys. A process that dies meanwhile leaves its lock. */
async function withLock<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
  // Not `.lock` or `.changing`, which earlier releases may have left behind.
  const lock = `${path}.lockfile`;
  for (const deadline = performance.now() + LOCK_TIMEOUT; ; await sleep(20)) {
    const error = await writeFile(lock, "", { flag: "wx" }).catch((cause: NodeJS.ErrnoException) => cause);
    if (!error) break;
    if (error.code !== "EEXIST") reject(path, error);
    if (performance.now() < deadline) continue;
    throw new Error(`The keys are locked by ${lock}; if no petstore command is running, delete that file.`);
  }
  return change().finally(() => rm(lock, { force: true }));
}

/** Passes on an error that already says what to do. */
function reject(path: string, cause: NodeJS.ErrnoException): never {
  if (!cause.code) throw cause;
  throw new Error(`The keys file ${path} cannot be used; check its path, owner, mode, and free disk space.`, {
    cause,
  });
}
