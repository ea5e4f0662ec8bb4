import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { usageOf } from "../service/processes.js";
import type { Service } from "../service/service.js";
import { type Fault, inSeconds, someSeconds } from "./fault.js";

/** The descriptors of input, output and errors: with this limit a process can open no further one. */
const STANDARD = 3;

/** The faults of the machine on which the service runs. */
export function machineFaults(service: Service): Fault[] {
  const unreadLog: Fault = {
    name: "a log that nobody reads",
    weight: 2,
    // No client notices.
    excuse: { stalls: true, heals: 0 },
    async play(random) {
      const lasts = 5000 + someSeconds(random, 25);
      service.leaveLog();
      await sleep(lasts);
      service.readLog();
      return `for ${inSeconds(lasts)}`;
    },
  };
  const noDescriptors: Fault = {
    name: "no descriptors left",
    weight: 2,
    excuse: { breaks: true, refusals: "all", down: true, heals: 3000 },
    async play(random) {
      const lasts = someSeconds(random, 8);
      const spare = random.pick([0, 1, 5]);
      // Node aborts if it starts without descriptors, whatever program it is to run.
      if (!service.isUp) return "left out, since the service was not up";
      const { pids } = service;
      const before = new Map(pids.map((pid) => [pid, limitOf(pid)]));
      for (const pid of pids) limit(pid, spare === 0 ? STANDARD : openBy(pid) + spare);
      await sleep(lasts);
      for (const [pid, soft] of before) if (soft) limit(pid, soft);
      return `${spare === 0 ? "none" : "a few"} to spare, for ${inSeconds(lasts)}, processes ${pids.join(", ")}`;
    },
  };
  return [unreadLog, noDescriptors];
}

function openBy(pid: number): number {
  const { files = 0, sockets = 0 } = usageOf(pid) ?? {};
  return files + sockets;
}

function limitOf(pid: number): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

/** Sets only the soft limit, so that it can be raised again. */
function limit(pid: number, descriptors: number): void {
  try {
    execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${descriptors}:`], { stdio: "ignore" });
  } catch {
    // The process has ended meanwhile.
  }
}
