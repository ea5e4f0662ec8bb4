import { readFileSync } from "node:fs";
import type { Logger } from "pino";

/** How many files a process keeps for its storage, keys, log and admin port. */
const KEPT = 150;

/**
 * How many of the wanted connections a process may hold: without a file left it could not read again which keys are
 * revoked. Says so in the log if there are fewer.
 */
export function possibleConnections(wanted: number, log: Logger): number {
  const possible = Math.max(1, openFilesLimit() - KEPT);
  if (possible >= wanted) return wanted;
  log.warn(
    { connections: possible },
    "fewer connections than PETSTORE_MAX_CONNECTIONS: too few files may be open; raise that limit (ulimit -n, or LimitNOFILE= of the unit)",
  );
  return possible;
}

/** Only Linux tells it in a file. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? Infinity);
  } catch {
    return Infinity;
  }
}
