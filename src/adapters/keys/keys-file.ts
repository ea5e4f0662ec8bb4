import { hash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { KEY_NAME } from "../../application/ports/key-verifier.js";

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
type KeyRecords = readonly KeyRecord[];

export function createKeyRecord(name: string, secret: string, expires: string | null = null): KeyRecord {
  return { name, sha256: digestOf(secret), created: new Date().toISOString(), expires };
}

/** Hashes a key with SHA-256, in hex. Keys are random, so a slow hash would add nothing. */
export function digestOf(secret: string): string {
  return hash("sha256", secret);
}

/** Returns milliseconds since the epoch; -Infinity if `Date.parse` fails, e.g. on the offset `+05`. */
export function expiryOf(expires: string | null): number {
  return expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires) || Number.NEGATIVE_INFINITY;
}

/** @throws Error that says what is wrong with the file and what to do */
export async function readKeys(path: string): Promise<KeyRecords> {
  const text = await readFile(path, "utf8").catch((cause) => reject(path, cause));
  try {
    return v.parse(keysFile, JSON.parse(text)).keys;
  } catch (error) {
    // Names only the place, since the message of valibot may quote the file.
    const place = error instanceof v.ValiError && v.getDotPath(error.issues[0]);
    const where = place ? ` at ${place}` : "";
    throw new Error(`The keys file ${path} is corrupt${where}; restore a backup, or move it out of the way.`);
  }
}

/** Creates the file, atomically and durably. Resolves to false if it exists. */
export async function createKeysFile(path: string, keys: KeyRecords): Promise<boolean> {
  if (existsSync(path)) return false;
  return write(path, keys, async (temporary) => {
    const error = await link(temporary, path).catch((cause: NodeJS.ErrnoException) => cause);
    if (!error || error.code === "EEXIST") return !error;
    // The file system may lack hard links, e.g. exFAT. Only there can a stale lock stop a first start.
    return withLock(path, async () => {
      if (existsSync(path)) return false;
      await rename(temporary, path);
      return true;
    });
  });
}

/** Replaces the keys, atomically and durably, while no other process changes them. */
export async function changeKeys(path: string, edit: (keys: KeyRecords) => KeyRecords): Promise<void> {
  // Follows symlinks: the service may read the target.
  const file = await realpath(path).catch(() => path);
  await withLock(file, async () =>
    write(file, edit(await readKeys(file)), (temporary) => rename(temporary, file)),
  );
}

/** Writes the keys to a temporary file, which `publish` renames. Resolves once both are on disk. */
async function write<Result>(path: string, keys: KeyRecords, publish: (file: string) => Promise<Result>) {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
    await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    const result = await publish(temporary);
    // A power cut could bring back a revoked key. As in SQLite, a folder that cannot be synced is no failure.
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

/** Runs `change` under a lock, for which it waits 10 s. A process that dies meanwhile leaves the lock. */
async function withLock<Result>(path: string, change: () => Promise<Result>): Promise<Result> {
  // Not `.lock` or `.changing`, which earlier releases may have left behind.
  const lock = `${path}.lockfile`;
  const isTaken = (error: NodeJS.ErrnoException) => error.code === "EEXIST" || reject(path, error);
  const deadline = performance.now() + 10_000;
  while (await writeFile(lock, "", { flag: "wx" }).catch(isTaken)) {
    if (performance.now() < deadline) await sleep(20);
    else
      throw new Error(`The keys are locked by ${lock}; if no petstore command is running, delete that file.`);
  }
  return change().finally(() => rm(lock, { force: true }));
}

/** Passes on an error that already says what to do. */
export function reject(path: string, cause: NodeJS.ErrnoException): never {
  if (!cause.code) throw cause;
  const remedy = ["EBUSY", "EXDEV", "EROFS"].includes(cause.code)
    ? "a change replaces the file, so mount its folder, writable, and not the file alone"
    : "check its path, the owner and mode of the file and of its folder, and free disk space";
  throw new Error(`The keys file ${path} cannot be used: ${remedy}.`, { cause });
}
