import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { moveToLoadCore } from "./cores.js";
import { measure } from "./load.js";
import { OPERATIONS } from "./operations.js";
import { machine, table } from "./report.js";
import { prepare } from "./rounds.js";
import { BENCH, petstore, RunningServer } from "./servers.js";
import { median, ratio } from "./statistics.js";

// `npm run bench -- workers`: lists on SQLite by two workers beside those by one process. The load itself
// takes most of a core. So on a machine of two cores a cgroup limits each serving process to a part of a core
// (as root, on Linux): then the processes set the limit, and not the load.

/** The part of a core that each process gets. */
const SHARE = 0.35;
const PERIOD = 20_000;
const ROUNDS = 9;
const DURATION = 2000;
const ROOT = "/sys/fs/cgroup";
const isVersion2 = existsSync(join(ROOT, "cgroup.controllers"));

/** Limits a process with all its threads, and returns a function that undoes the limit. */
function limit(pid: number): () => void {
  const group = join(ROOT, isVersion2 ? "" : "cpu", `petstore-bench-${pid}`);
  mkdirSync(group);
  if (isVersion2) writeFileSync(join(group, "cpu.max"), `${SHARE * PERIOD} ${PERIOD}`);
  else {
    writeFileSync(join(group, "cpu.cfs_period_us"), String(PERIOD));
    writeFileSync(join(group, "cpu.cfs_quota_us"), String(SHARE * PERIOD));
  }
  writeFileSync(join(group, "cgroup.procs"), String(pid));
  return () => rmdirSync(group);
}

function childrenOf(pid: number): number[] {
  const found = execFileSync("pgrep", ["--parent", String(pid)], { encoding: "utf8" });
  return found.trim().split("\n").map(Number);
}

moveToLoadCore();
const storage = { PETSTORE_STORAGE: "sqlite:./petstore.db", PETSTORE_LOG_LEVEL: "silent" };
const KINDS = [
  petstore("one process", storage),
  petstore("two workers", { ...storage, PETSTORE_WORKERS: "2" }),
];
const servers: RunningServer[] = [];
for (const kind of KINDS) servers.push(await RunningServer.start(kind, "any core"));
for (const server of servers) await prepare(server);
const [one, two] = servers.map(({ pid }) => pid) as [number, number];
const undo = [one, ...childrenOf(two)].map(limit);

const rates: number[][] = servers.map(() => []);
for (let round = 0; round <= ROUNDS; round++) {
  for (const [index, { port }] of servers.entries()) {
    const { requests, seconds } = await measure(OPERATIONS.list, {
      port,
      connections: 64,
      duration: DURATION,
    });
    if (round > 0) rates[index]?.push(requests / seconds);
  }
}
await Promise.all(servers.map((server) => server.stop()));
for (const remove of undo) remove();

const [alone = [], together = []] = rates;
const { median: times, min, max } = ratio(together, alone);
const text = `# Two workers

Written by \`npm run bench -- workers\`: ${machine("load on core 1")}.

Lists of 20 on SQLite over 64 connections, each process with ${SHARE} of a core; medians of ${ROUNDS} rounds of ${DURATION} ms.

${table(
  ["", "requests/s", "× one process"],
  [
    ["one process", median(alone).toFixed(0), "1"],
    ["two workers", median(together).toFixed(0), `${times.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`],
  ],
)}
`;
console.log(text);
writeFileSync(join(BENCH, "results-workers.md"), text);
