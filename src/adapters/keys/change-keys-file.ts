import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makeApiKey } from "./api-key.js";
import { cannotWrite, NO_LINK, withLock } from "./file-lock.js";
import { type KeyRecord, keyRecord, readKeysFile } from "./keys-file.js";

/** An empty file that says that the keys file was there once. */
const markOf = (path: string) => `${path}.made`;

/** @throws Error if the file was there once and is gone: new keys in its place would lock out every client */
export async function refuseGone(path: string): Promise<void> {
  // A link that leads nowhere says so as well.
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  const mark = isLink ? path : markOf(path);
  // The mark first: another process that makes both now makes the file first.
  if (!(isLink || existsSync(mark)) || existsSync(path)) return;
  throw new Error(
    `The keys file ${path} is gone; restore it from a backup, or give up its keys: delete ${mark}.`,
  );
}

/**
 * Makes the file at the first start, with one key, which never expires, if somebody sees it.
 *
 * @param show gives the key to its reader, and resolves to whether that has it
 * @returns the key, which nobody can find out later; undefined if none was made
 * @throws Error if the file was there once and is gone
 */
export async function createKeysFile(
  path: string,
  show?: (secret: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (existsSync(path)) return undefined;
  return withLock(path, async () => {
    if (existsSync(path)) return undefined;
    await refuseGone(path);
    const secret = makeApiKey();
    if (show) await writeKeysFile(path, [keyRecord("default", secret)]);
    if (await show?.(secret)) return secret;
    await writeKeysFile(path, []);
    return undefined;
  });
}

/**
 * The file itself, if the path is a link. Another user's link is not followed: it could lead root to any file.
 *
 * @throws Error that says what to do about such a link
 */
export async function fileAt(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() && found.uid !== process.getuid?.()) {
    throw new Error(`The keys file ${path} is a link of another user; name the file to which it leads.`);
  }
  return realpath(path).catch(() => path);
}

/** Replaces the keys in the file by what `change` makes of them, while no other process changes them. */
export async function changeKeysFile(
  path: string,
  change: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  const file = await fileAt(path);
  await withLock(file, async () => {
    await refuseGone(file);
    const keys = existsSync(file) ? await readKeysFile(file, NO_LINK) : [];
    await writeKeysFile(file, change(keys));
  });
}

/** Writes the file of keys whole or not at all, so that only its owner can read it. */
export async function writeKeysFile(path: string, keys: readonly KeyRecord[]): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const text = `${JSON.stringify({ version: 1, keys }, null, 2)}\n`;
    await makeFile(temporary, text, existsSync(path) ? path : dirname(path));
    await rename(temporary, path);
    // It is there, or cannot be made: the keys are written all the same.
    await makeFile(markOf(path), "", path).catch(() => undefined);
    // Without this, a power cut can undo a rename that was reported as done: a key that is revoked would be back.
    const folder = await open(dirname(path), "r");
    await folder.sync().finally(() => folder.close());
  } catch (cause) {
    throw cannotWrite(path, cause);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Makes a file where nothing is, not even a link. If root makes it, the owner of its neighbour gets it, who must read it. */
async function makeFile(path: string, text: string, neighbour: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    const { uid, gid } = await lstat(neighbour);
    if (process.getuid?.() === 0) await file.chown(uid, gid);
    await file.sync();
  } finally {
    await file.close();
  }
}
