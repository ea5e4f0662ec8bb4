import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { withLock } from "./file-lock.js";
import { giveToOwnerOf, type KeyRecord, makeKeysFile, readKeysFile, writeKeysFile } from "./keys-file.js";

type Change = (keys: readonly KeyRecord[]) => readonly KeyRecord[];

/**
 * Replaces the keys in the file by what `change` makes of them, while no other process changes them. Makes the file
 * if there is none, unless `change` throws.
 */
export async function changeKeysFile(path: string, change: Change): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const lock = `${path}.lock`;
  await withLock(lock, async () => {
    await giveToOwnerOf(dirname(path), lock);
    // A first start takes no lock, and may make the file after `replaceKeys` has found none.
    while (!(await replaceKeys(path, change)));
  });
}

async function replaceKeys(path: string, change: Change): Promise<boolean> {
  if (!existsSync(path)) return makeKeysFile(path, change([]));
  await writeKeysFile(path, change(await readKeysFile(path)));
  return true;
}
