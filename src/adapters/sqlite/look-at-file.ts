import { existsSync } from "node:fs";
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { StorageSight } from "../../application/ports/storage-adapter.js";
import { InUseLock } from "./in-use-lock.js";
import { realPathOf } from "./real-path.js";

/**
 * Looks at a file and its disk without changing either, for `petstore copy`. `database.ts` opens the file, and
 * `errors.ts` says what is wrong with it.
 */
export async function look(path: string): Promise<StorageSight> {
  const file = await realPathOf(path);
  const { bavail, bsize } = await statfs(existingFolder(dirname(file)));
  const room = bavail * bsize;
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return { exists: found !== undefined, room };
  return {
    exists: true,
    // A file is the same under any path that leads to it: symbolic links, hard links, other spellings.
    identity: `sqlite ${found.dev} ${found.ino}`,
    bytes: Number(found.size),
    room,
    inUse: InUseLock.isHeld(file),
  };
}

function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
