import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Runs `sqlite-process.js TASK PATH`, through a command that runs the command after it. Its errors appear in the test's output. */
export function runSqlite(task: string, path: string, env = process.env, through: readonly string[] = []) {
  const script = join(import.meta.dirname, "sqlite-process.js");
  const [program = "", ...rest] = [...through, process.execPath, script, task, path];
  const child = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"], env });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** The next line that the process prints; "" if it has ended. */
    nextLine: async () => String((await lines.next()).value ?? ""),
    /** Tells the process to go on. */
    go: () => void child.stdin.write("go\n"),
    /** Ends the standard input of the process, and waits for its end. */
    async release() {
      child.stdin.end();
      await ended;
    },
    /** Kills the process with SIGKILL, and waits for its end. */
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export type RunningProcess = ReturnType<typeof runSqlite>;
