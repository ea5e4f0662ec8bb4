import { execFile } from "node:child_process";
import type { Logger } from "pino";

/**
 * Tells systemd the state of the service, if systemd asks for it (sd_notify(3)), and at intervals that the program is
 * alive. It runs systemd-notify(1), since Node cannot send a datagram to a Unix socket.
 */
export function tellServiceManager(
  state: "READY=1" | "STOPPING=1",
  { NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv,
  log: Logger,
): void {
  if (!NOTIFY_SOCKET) return;
  notify(state, log);
  if (state !== "READY=1" || !WATCHDOG_USEC) return;
  // Twice in the time that systemd gives, as sd_watchdog_enabled(3) advises.
  setInterval(() => notify("WATCHDOG=1", log), Number(WATCHDOG_USEC) / 2000).unref();
}

function notify(state: string, log: Logger): void {
  execFile("systemd-notify", [state], (err) => {
    if (err) log.warn({ err }, "systemd was not told; is systemd-notify installed?");
  });
}
