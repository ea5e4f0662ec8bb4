/** Aborts on the first SIGTERM or SIGINT, with the signal's name as the reason. A later one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  for (const [signal, exitCode] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      controller.abort(signal);
      // Ctrl-C under npm sends two signals, which count as one.
      if (performance.now() - firstAt < 500) return;
      // By the signal itself: an exit would wait for the thread of SQLite, and crash if that waits for a lock.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      // The kernel ignores it for pid 1.
      process.exit(exitCode);
    });
  }
  return controller.signal;
}
