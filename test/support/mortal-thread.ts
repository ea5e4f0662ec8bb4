import type { Worker } from "node:worker_threads";

/** Threads that have started, the newest one last. */
export const threads: Worker[] = [];
process.on("worker", (thread) => threads.push(thread));

/** Ends the newest thread by an error, since it can read no such message. Resolves once it has ended. */
export async function endThread(): Promise<void> {
  const thread = threads.at(-1);
  const ended = new Promise((resolve) => thread?.once("exit", resolve));
  thread?.postMessage(null);
  await ended;
}
