import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The resources that a process uses, read from /proc. */
export interface ProcessUsage {
  readonly pid: number;
  /** Resident memory, in bytes. */
  readonly memory: number;
  readonly threads: number;
  /** Open descriptors that are sockets, and all others. */
  readonly sockets: number;
  readonly files: number;
}

export function usageOf(pid: number): ProcessUsage | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
    // A descriptor that was closed meanwhile leads nowhere.
    const targets = readdirSync(`/proc/${pid}/fd`)
      .map((fd) => targetOf(pid, fd))
      .filter(Boolean);
    const sockets = targets.filter((target) => target.startsWith("socket:")).length;
    const files = targets.length - sockets;
    return { pid, memory: field("VmRSS") * 1024, threads: field("Threads"), sockets, files };
  } catch {
    // The process has ended.
    return undefined;
  }
}

function targetOf(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return "";
  }
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
