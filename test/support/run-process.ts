import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A Node process that a test has started. */
export interface RunningProcess {
  /** The next line that the process prints to standard output; "" if it has ended. */
  nextLine(): Promise<string>;
  /** Tells the process by its standard input to go on. */
  go(): void;
  /** Ends the standard input of the process, and waits for its end. */
  release(): Promise<void>;
  /** The exit code of the process, or the signal that ended it. */
  readonly ended: Promise<unknown[]>;
  /** Kills the process with SIGKILL, and waits for its end. */
  kill(): Promise<void>;
}

/**
 * Runs a script of `test/support`, named without its ending. Its errors appear in the test's output.
 *
 * @param through a program that runs the command that follows its arguments
 */
export function runProcess(
  script: string,
  args: readonly string[],
  env = process.env,
  through: readonly string[] = [],
): RunningProcess {
  const path = join(import.meta.dirname, `${script}.js`);
  const [program = "", ...rest] = [...through, process.execPath, path, ...args];
  const child: ChildProcess = spawn(program, rest, { stdio: ["pipe", "pipe", "inherit"], env });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return {
    ended,
    async nextLine() {
      return String((await lines.next()).value ?? "");
    },
    go() {
      child.stdin?.write("go\n");
    },
    async release() {
      child.stdin?.end();
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
