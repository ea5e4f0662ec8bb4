/** Aborts on the first SIGTERM or SIGINT, with its name as the reason. The next one ends the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  for (const [signal, exitCode] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.on(signal, () => {
      firstAt ??= performance.now();
      controller.abort(signal);
      // Ctrl-C under npm sends two signals, which count as one.
      if (performance.now() - firstAt < 500) return;
      // Ends by the signal: an exit would wait for SQLite's thread, and crash if that waits for a lock.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      // The kernel ignores it for pid 1.
      process.exit(exitCode);
    });
  }
  return controller.signal;
}
