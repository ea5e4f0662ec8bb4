import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { moveToLoadCore, onServerCore } from "./cores.js";
import { measure } from "./load.js";
import { OPERATIONS } from "./operations.js";
import { machine, table } from "./report.js";
import { BENCH, PEERS, PETSTORE, RunningServer, type ServerKind } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- startup`: from the start of a process to its first 200, and the memory it takes.

const KINDS = [PETSTORE, ...PEERS.filter(({ name }) => /^(Fastify|NestJS)/.test(name))];
const ROUNDS = 15;
/**
 * How many requests to send between two looks at the memory. V8 collects old objects for the first time after
 * about four million requests.
 */
const REQUESTS = 1_000_000;
const TIMES = 6;

/** Milliseconds. */
async function startToFirstAnswer(kind: ServerKind): Promise<number> {
  const start = performance.now();
  const server = await RunningServer.start(kind);
  const { port } = server;
  await measure(OPERATIONS.create, { port, connections: 1, duration: Infinity, requests: 1 });
  const taken = performance.now() - start;
  await server.stop();
  return taken;
}

/** Milliseconds. */
async function emptyProgram(): Promise<number> {
  const [command, ...rest] = onServerCore("-e", "0");
  const start = performance.now();
  await once(spawn(command, rest), "exit");
  return performance.now() - start;
}

moveToLoadCore();
const empty: number[] = [];
const started: number[][] = KINDS.map(() => []);
for (let round = 0; round < ROUNDS; round++) {
  empty.push(await emptyProgram());
  for (const [index, kind] of KINDS.entries()) started[index]?.push(await startToFirstAnswer(kind));
}
const startRows = KINDS.map(({ name }, index) => {
  const times = started[index] as number[];
  const multiple = median(times.map((time, round) => time / (empty[round] as number)));
  return [name, median(times).toFixed(0), multiple.toFixed(1)];
});

const mebibytes = async (server: RunningServer) => ((await server.usage()).rss / 2 ** 20).toFixed(0);
const server = await RunningServer.start(PETSTORE);
await sleep(1000);
const memoryRows = [["idle", await mebibytes(server)]];
const { port } = server;
for (let sent = REQUESTS; sent <= TIMES * REQUESTS; sent += REQUESTS) {
  await measure(OPERATIONS.list, { port, connections: 64, duration: Infinity, requests: REQUESTS });
  memoryRows.push([`${sent} requests`, await mebibytes(server)]);
}
await server.stop();

const text = [
  "# Start and memory",
  `Written by \`npm run bench -- startup\`: ${machine()}.`,
  `From the start of the process to its first answer, medians of ${ROUNDS} rounds; \`node -e 0\` takes ` +
    `${median(empty).toFixed(0)} ms.`,
  table(["server", "ms", "× node -e 0"], startRows),
  "Resident memory of this service on memory storage, everything on:",
  table(["", "MiB"], memoryRows),
].join("\n\n");
console.log(text);
writeFileSync(join(BENCH, "results-startup.md"), `${text}\n`);
