import type { WriterGauges } from "./gauges.js";

/** How long a process that ends waits for the work of a thread, in milliseconds. */
const PATIENCE = 1000;

const running = new Set<WriterGauges>();

/**
 * Lets a process end although the disk holds one of its threads. Node joins every thread before a process
 * ends, even by `process.exit`, and a thread that waits in fsync ends only with the process. So a process
 * whose thread is still busy at the end kills itself by SIGKILL. Committed pets are in the file, and no other
 * was acknowledged.
 */
export function endAtExit(thread: WriterGauges): () => void {
  if (running.size === 0) process.on("exit", end);
  running.add(thread);
  return () => {
    running.delete(thread);
    if (running.size === 0) process.off("exit", end);
  };
}

function end(): void {
  const deadline = performance.now() + PATIENCE;
  for (const thread of running) {
    const left = Math.max(0, deadline - performance.now());
    if (!thread.stop(left)) process.kill(process.pid, "SIGKILL");
  }
}
