import { execFileSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { type Findings, RULES, type Rule } from "./findings.js";
import type { Judge } from "./judge.js";
import type { Service } from "./service.js";
import type { Troubles } from "./troubles.js";
import type { Watch } from "./watch.js";

interface Facts {
  readonly what: string;
  readonly stored: number;
  readonly hostile: number;
  readonly judge: Judge;
  readonly service: Service;
  readonly watch: Watch;
  readonly troubles: Troubles;
  readonly findings: Findings;
}

/** The report of a run, as plain text. */
export function report({ what, stored, hostile, judge, service, watch, troubles, findings }: Facts): string {
  const { calm, troubled, calmTimes, slowest } = judge;
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  const times = Float64Array.from(calmTimes).sort();
  const at = (share: number) => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0)} ms`;
  const counts = (map: ReadonlyMap<string, number>) =>
    [...map].sort().map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`);
  return [
    what,
    `commit ${commit}, Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[2]?.toFixed(1)} over the last 15 min`,
    "",
    `${stored} pets, each read again at the end; ${hostile} hostile clients; ${service.starts} starts of the program`,
    "answers",
    ...counts(judge.statuses),
    "faults",
    ...counts(troubles.counts),
    "availability: requests with an answer other than 503",
    `  outside of faults ${percent(calm)} of ${calm.sent}, must be 100 %`,
    `  within faults     ${percent(troubled)} of ${troubled.sent}`,
    `times outside of faults: median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(1)}; longest of all ${slowest.toFixed(0)} ms`,
    `most of one process: ${watch.most.memory.toFixed(0)} MiB, ${watch.most.descriptors} descriptors, ${watch.most.threads} threads`,
    "rules, and how often they were broken",
    ...Object.entries(RULES).map(
      ([rule, text]) => `  ${String(findings.counts.get(rule as Rule) ?? 0).padStart(8)}  ${rule}: ${text}`,
    ),
    ...(findings.total > 0 ? ["the first findings", ...findings.first.map((finding) => `  ${finding}`)] : []),
  ].join("\n");
}

function percent({ sent, served }: { sent: number; served: number }): string {
  return sent === 0 ? "none" : `${((100 * served) / sent).toFixed(3)} %`;
}
