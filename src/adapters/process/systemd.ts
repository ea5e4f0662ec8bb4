import { execFile } from "node:child_process";
import type { Logger } from "pino";

/**
 * Returns the descriptor of systemd's socket (sd_listen_fds(3) starts at 3), which queues connections during
 * a restart. Children inherit the variables without the socket, so `LISTEN_PID` must match.
 */
export function inheritedSocket({ LISTEN_PID, LISTEN_FDS }: NodeJS.ProcessEnv): number | undefined {
  return LISTEN_PID === String(process.pid) && Number(LISTEN_FDS) >= 1 ? 3 : undefined;
}

/** Runs systemd-notify (sd_notify(3)), since Node cannot send to a Unix datagram socket. */
export function notify(
  states: readonly ("READY=1" | "STOPPING=1" | `EXTEND_TIMEOUT_USEC=${number}`)[],
  { NOTIFY_SOCKET }: NodeJS.ProcessEnv,
  log: Logger,
): void {
  if (!NOTIFY_SOCKET) return;
  execFile("systemd-notify", states, (err) => {
    if (err) log.warn({ err }, "cannot notify systemd; is systemd-notify installed?");
  });
}

/** Whether standard output may be the journal, which would keep the first API key for all its readers. */
export function printsToJournal({ NOTIFY_SOCKET, INVOCATION_ID }: NodeJS.ProcessEnv): boolean {
  return !process.stdout.isTTY && Boolean(NOTIFY_SOCKET || INVOCATION_ID);
}
