import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import type { RunOptions } from "../options.js";
import type { Parts } from "../parts.js";

/** The commit at the start of the run. */
const COMMIT = commit();

/** The facts of a run, for the head of its report. */
export function factsOf(
  { storage, workers, seed, rate }: RunOptions,
  { timeline, history, troubles, service, load, hostile, findings, clock, starvation }: Parts,
): Record<string, string | number> {
  return {
    storage: storage.replace(/\/\/[^/@]*@/, "//…@"),
    duration: `${(clock.now() / 60_000).toFixed(1)} min`,
    workers,
    seed,
    "requests per second, intended": rate,
    "requests sent": timeline.requests,
    "pets planned": history.planned,
    "pets stored, each read again at the end": history.turn,
    "walks through the whole catalogue": load.walked,
    "hostile clients": hostile.count,
    faults: troubles.all.length,
    "starts of the program": service.starts,
    "broken rules": findings.total,
    commit: COMMIT,
    machine: `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}`,
    "load of the machine at the end, over 15 min": loadavg()[2]?.toFixed(1) ?? "",
    "time that processes waited for a core of the machine": `${(starvation.total / 1000).toFixed(0)} s in all`,
    "late, refused or not ready, which this wait excuses": starvation.excused,
    "time that this tool itself stood still": `${(clock.lostSoFar() / 1000).toFixed(1)} s in all`,
  };
}

function commit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], {
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  } catch {
    return "unknown";
  }
}
