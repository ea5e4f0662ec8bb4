import type { WriterGauges } from "./gauges.js";

/** How long a process that ends waits for what a thread has begun, in milliseconds. */
const PATIENCE = 1000;

const running = new Set<WriterGauges>();

/**
 * Keeps a thread that the disk holds from holding the process. Node joins every thread before a process ends, by
 * `process.exit` as well, and a thread that waits in fsync cannot be joined, nor ended by anything but the end of the
 * process. So a process whose thread is still busy when it ends is ended by SIGKILL. What was committed is in the file; what
 * was not has not been acknowledged.
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
