import { randomBytes } from "node:crypto";
import { existsSync, lstatSync } from "node:fs";
import { chown, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeApiKey } from "./api-key.js";
import { withLock } from "./file-lock.js";
import { type KeyRecord, keyRecord, readKeysFile } from "./keys-file.js";

/** An empty file that says that the keys file was there once. */
const markOf = (path: string) => `${path}.made`;

/** Whether the keys file is there, or was once: its mark is left, or a link to it. */
export function wasThere(path: string): boolean {
  return existsSync(markOf(path)) || lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Makes the file with one key, which never expires, at the first start.
 *
 * @returns the key, which nobody can find out later; undefined if the file is there already
 * @throws Error if the file was there once and is gone: a new key in its place would lock out every client
 */
export async function createKeysFile(path: string): Promise<string | undefined> {
  if (existsSync(path)) return undefined;
  return withLock(path, async () => {
    if (existsSync(path)) return undefined;
    if (wasThere(path)) {
      throw new Error(
        `The keys file ${path} is gone; restore it from a backup, or give up its keys with: petstore keys add NAME`,
      );
    }
    const secret = makeApiKey();
    await writeKeysFile(path, [keyRecord("default", secret)]);
    return secret;
  });
}

/**
 * Replaces the keys in the file by what `change` makes of them, while no other process changes them. If the path is a
 * link, the file at its end changes.
 */
export async function changeKeysFile(
  path: string,
  change: (keys: readonly KeyRecord[]) => readonly KeyRecord[],
): Promise<void> {
  const file = await realpath(path).catch(() => path);
  await withLock(file, async () => {
    const keys = existsSync(file) ? await readKeysFile(file) : [];
    await writeKeysFile(file, change(keys));
  });
}

/** Writes the file of keys whole or not at all, so that only its owner can read it. */
export async function writeKeysFile(path: string, keys: readonly KeyRecord[]): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    await giveToOwnerOf(existsSync(path) ? path : dirname(path), temporary);
    await rename(temporary, path);
    await writeFile(markOf(path), "", { flag: "a", mode: 0o600 });
    await giveToOwnerOf(path, markOf(path));
    // Without this, a power cut can undo a rename that was reported as done: a key that is revoked would be back.
    const folder = await open(dirname(path), "r");
    await folder.sync().finally(() => folder.close());
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a file that root makes to the owner of its neighbour: the service seldom runs as root, and must read it. */
async function giveToOwnerOf(neighbour: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(neighbour);
  await chown(file, uid, gid);
}
