import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { EXCESS_CONNECTIONS, type LoadLimits } from "./server/shed-load.js";

/** How many descriptors connections leave to storages, probes, files and the log; at most half of all. */
const RESERVED = 256;

/**
 * Lowers the limit of connections to the number for which the process has descriptors. The kernel accepts more of them,
 * and Node closes those: their clients get no answer, nothing counts them, and probes and the storage fail as well.
 */
export function fitLimits(limits: LoadLimits, log: Logger, descriptors = descriptorLimit()): LoadLimits {
  const { connections } = limits;
  const fitting = fitConnections(connections, descriptors);
  if (fitting.connections < connections && Number.isFinite(connections)) {
    log.warn(
      { connections: fitting.connections, descriptors },
      "fewer connections than PETSTORE_MAX_CONNECTIONS: the process may open too few files; raise LimitNOFILE or ulimit -n",
    );
  }
  return { ...limits, ...fitting };
}

/** How many files and sockets this process may have open; Infinity if it has no limit, or if the system does not tell. */
function descriptorLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(limit ?? Infinity);
  } catch {
    return Infinity;
  }
}

function fitConnections(connections: number, descriptors: number): { connections: number; excess: number } {
  const room = descriptors - Math.min(RESERVED, Math.ceil(descriptors / 2));
  if (connections + EXCESS_CONNECTIONS <= room || room === Infinity)
    return { connections, excess: EXCESS_CONNECTIONS };
  const excess = Math.min(EXCESS_CONNECTIONS, Math.ceil(room / 10));
  return { connections: Math.min(connections, room - excess), excess };
}
