import { syncBuiltinESMExports } from "node:module";
import threads, { isMainThread, type WorkerOptions } from "node:worker_threads";

const ENDS = "TEST_ENDS_THREAD";

/**
 * Ends the writing thread by an error at its next look at the clock, which it takes before, in and after a transaction.
 * `terminate()` may hit it within a prepared statement, where the driver then aborts the whole process (`Napi::Error`).
 */
export function endThread(): void {
  process.env[ENDS] = "yes";
}

// A program that preloads this (`--import`) ends its thread at SIGUSR2.
if (isMainThread) {
  process.on("SIGUSR2", endThread);
  threads.Worker = class extends threads.Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(script, { ...options, execArgv: ["--import", import.meta.url] });
    }
  };
  syncBuiltinESMExports();
} else {
  const { hrtime } = process;
  process.hrtime = Object.assign((time?: [number, number]) => {
    if (!process.env[ENDS]) return hrtime(time);
    delete process.env[ENDS];
    throw new Error("A test ends this thread.");
  }, hrtime);
}
