import { readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * The path without symbolic links, also if nothing is there yet. SQLite follows links too: its `-wal` file stands
 * beside the file itself, and so does ours. `look-at-file.ts` tells whether two paths lead to the same file.
 */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return resolve(path);
  }
  // If a link leads to a file that is missing, SQLite makes that file.
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? resolve(path) : realPathOf(resolve(await realpath(dirname(path)), target));
}
