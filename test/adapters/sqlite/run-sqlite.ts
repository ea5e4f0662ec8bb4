import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

function start(task: "lock" | "create", path: string, through: readonly string[] = []) {
  const script = join(import.meta.dirname, "sqlite-process.js");
  const [program = "", ...rest] = [...through, process.execPath, script, task, path];
  return spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"] });
}

/** Creates pets from another process, which a command may start. Resolves to "created", or to why not. */
export async function createElsewhere(path: string, through?: readonly string[]): Promise<string> {
  return (await text(start("create", path, through).stdout)).trimEnd();
}

/** Holds the write lock from another process. Resolves to a function that releases it. */
export async function lockElsewhere(path: string): Promise<() => Promise<unknown>> {
  const holder = start("lock", path);
  await once(holder.stdout, "data");
  return () => once(holder.stdin.end() && holder, "close");
}
