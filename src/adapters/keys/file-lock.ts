import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long to wait for another process, in milliseconds; a change takes a moment. */
const PATIENCE = 10_000;

/** How long to wait at most before the lock is tried again, in milliseconds. */
const PAUSE = 20;

/** Opens a file, and not that to which a link in its place leads: a user's link could lead root to any file. */
export const NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Runs `task` while nobody else, in this process or another, changes the file. */
export async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  // Not `.lock`: a command of 1.0.0 leaves an empty file of that name for ever.
  const lock = `${path}.changing`;
  const own = `${path}.${randomBytes(6).toString("hex")}`;
  const deadline = performance.now() + PATIENCE;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(own, `${hostname()} ${process.pid} ${own}`, { flag: "wx", mode: 0o600 });
    // The lock appears with its content, or not at all.
    while (!(await takes(own, lock))) {
      if (performance.now() > deadline) throw new Error("it is locked");
      await removeIfDead(lock, own);
      await sleep(PAUSE * Math.random());
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code) throw cannotWrite(path, cause);
    throw new Error(`The keys are locked by ${lock}; if no other petstore command runs, delete that file.`, {
      cause,
    });
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
  return task().finally(() => rm(lock, { force: true }));
}

export function cannotWrite(path: string, cause: unknown): Error {
  const remedy = "correct the path, the permissions of its folder, or make room";
  return new Error(`The keys file ${path} cannot be written; ${remedy}.`, { cause });
}

/** Removes the lock of a process of this machine that has ended. Of several that find it, one at a time may do so. */
async function removeIfDead(lock: string, own: string): Promise<void> {
  const readHolder = () => readFile(lock, { encoding: "utf8", flag: NO_LINK }).catch(() => "");
  const holder = await readHolder();
  const [host, pid] = holder.split(" ");
  if (host !== hostname() || isAlive(Number(pid))) return;
  const right = `${lock}.dead`;
  // A process that ended here has left the right: it is removed in the same way.
  if (!(await takes(own, right))) return removeIfDead(right, own);
  // Meanwhile another one may have removed it, and a third may have taken it.
  if ((await readHolder()) === holder) await rm(lock, { force: true });
  await rm(right, { force: true });
}

async function takes(own: string, lock: string): Promise<boolean> {
  const error = await link(own, lock).catch((reason: NodeJS.ErrnoException) => reason);
  if (error && error.code !== "EEXIST") throw error;
  return !error;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
