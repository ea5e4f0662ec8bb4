import { mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long to wait for another process, in milliseconds; a change takes a moment. */
const PATIENCE = 10_000;

/** How long to wait at most before the lock is tried again, in milliseconds. */
const PAUSE = 20;

/** Runs `task` while nobody else, in this process or another, changes the file. */
export async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  // Not `.lock`: a command of 1.0.0 leaves an empty file of that name for ever.
  const lock = `${path}.changing`;
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await (await open(lock, "wx")).close();
      break;
    } catch (cause) {
      const { code, path: at } = cause as NodeJS.ErrnoException;
      // `mkdir` fails with the same code if a file is in the place of the folder.
      if (code !== "EEXIST" || at !== lock) {
        throw new Error(
          `The keys file ${path} cannot be written; correct the path, or the permissions of its folder.`,
          { cause },
        );
      }
      if (performance.now() > deadline) {
        throw new Error(
          `The keys are locked by ${lock}; if no other petstore command runs, delete that file.`,
        );
      }
      await sleep(PAUSE * Math.random());
    }
  }
  try {
    return await task();
  } finally {
    await rm(lock, { force: true });
  }
}
