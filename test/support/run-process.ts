import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A Node process that a test has started. */
export interface RunningProcess {
  /** The next line that it prints to standard output; "" where it has ended. */
  nextLine(): Promise<string>;
  /** Tells it, over its standard input, to go on. */
  go(): void;
  /** Ends its standard input, and waits until it has ended. */
  release(): Promise<void>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<unknown[]>;
  /** Ends it at once with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>;
}

/** Runs a script of `test/support`, named without its ending. Its errors show among the test's own output. */
export function runProcess(script: string, ...args: string[]): RunningProcess {
  const path = join(import.meta.dirname, `${script}.js`);
  const child: ChildProcess = spawn(process.execPath, [path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
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
