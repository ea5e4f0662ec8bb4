import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { barChart } from "./chart.js";
import { moveToLoadCore } from "./cores.js";
import { OPERATIONS } from "./operations.js";
import { heading, memoryTable, operationTable } from "./report.js";
import { interleave, type Plan, prepare } from "./rounds.js";
import { BENCH, FASTIFY, PEERS, PETSTORE, PETSTORE_LOG_OFF, RunningServer } from "./servers.js";

// `npm run bench`: this service beside others, and `bench/results.md` and `bench/results.svg` about it.

const KINDS = [PETSTORE_LOG_OFF, PETSTORE, ...PEERS];

const PLANS: readonly Plan[] = [
  { connections: 64, rounds: 7, duration: 500 },
  { connections: 1, rounds: 5, duration: 250 },
];

moveToLoadCore();
const servers: RunningServer[] = [];
for (const kind of KINDS) {
  const server = await RunningServer.start(kind);
  servers.push(server);
  await prepare(server);
}

const names = KINDS.map(({ name }) => name);
const baseline = KINDS.indexOf(FASTIFY);
const sections = [heading(PLANS)];
const rates: Record<string, readonly number[]> = {};
for (const plan of PLANS) {
  for (const operation of Object.values(OPERATIONS)) {
    const turns = await interleave(servers, operation, plan);
    const table = operationTable(operation, plan, names, turns, baseline);
    console.log(table.text);
    sections.push(table.text);
    if (plan.connections > 1) rates[operation.name] = table.rates;
  }
}
const memory = memoryTable(names, await Promise.all(servers.map((server) => server.usage())));
console.log(memory);
sections.push(memory);
await Promise.all(servers.map((server) => server.stop()));

writeFileSync(join(BENCH, "results.md"), `${sections.join("\n\n")}\n`);
writeFileSync(join(BENCH, "results.svg"), barChart(names, rates));
console.log("Written to bench/results.md and bench/results.svg.");
