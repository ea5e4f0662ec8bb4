import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { moveToLoadCore, onServerCore } from "./cores.js";
import { measure } from "./load.js";
import { OPERATIONS } from "./operations.js";
import { machine, table } from "./report.js";
import { BENCH, PEERS, PETSTORE, petstore, RunningServer, type ServerKind } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- startup [MAIN]`: from the start of a process to its first 200, and the memory it takes. MAIN is the
// `dist/src/main.js` of an older commit, which the same rounds then measure, too.

const [, before] = process.argv.slice(2);
const VERSIONS: [string, string?][] = before ? [["before", before], ["now"]] : [["now"]];
const KINDS = [
  ...["memory:", "sqlite:./petstore.db"].flatMap((url) =>
    VERSIONS.map(([version, main]) =>
      petstore(`Petstore ${version}, ${url.split(":")[0]}`, { PETSTORE_STORAGE: url }, main),
    ),
  ),
  ...PEERS.filter(({ name }) => /^(Fastify|NestJS)/.test(name)),
];
const ROUNDS = 15;
/** How many processes of each kind to look at while they are idle. */
const IDLE = 5;
/**
 * How many requests to send between two looks at the memory. V8 collects old objects for the first time after
 * about four million requests.
 */
const REQUESTS = 1_000_000;
const TIMES = 6;

/** In milliseconds: the time until the first answer, and the processor time of all threads. */
interface Start {
  readonly taken: number;
  readonly cpu: number;
}

async function startToFirstAnswer(kind: ServerKind): Promise<Start> {
  const start = performance.now();
  const server = await RunningServer.start(kind);
  const { port } = server;
  await measure(OPERATIONS.list, { port, connections: 1, duration: Infinity, requests: 1 });
  const taken = performance.now() - start;
  const { cpu } = await server.usage();
  await server.stop();
  return { taken, cpu: cpu / 1000 };
}

/** Milliseconds. */
async function emptyProgram(): Promise<number> {
  const [command, ...rest] = onServerCore("-e", "0");
  const start = performance.now();
  await once(spawn(command, rest), "exit");
  return performance.now() - start;
}

const megabytes = async (server: RunningServer) => (await server.usage()).rss / 1e6;

async function starts(): Promise<string[]> {
  const empty: number[] = [];
  const started: Start[][] = KINDS.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    empty.push(await emptyProgram());
    for (const [index, kind] of KINDS.entries()) started[index]?.push(await startToFirstAnswer(kind));
  }
  const rows = KINDS.map(({ name }, index) => {
    const all = started[index] as Start[];
    const multiple = median(all.map(({ taken }, round) => taken / (empty[round] as number)));
    const figures = [median(all.map(({ taken }) => taken)), median(all.map(({ cpu }) => cpu))];
    return [name, ...figures.map((figure) => figure.toFixed(0)), multiple.toFixed(1)];
  });
  return [
    `From the start of the process to its first answer, medians of ${ROUNDS} rounds; \`node -e 0\` takes ` +
      `${median(empty).toFixed(0)} ms.`,
    table(["server", "ms", "processor ms", "ms × node -e 0"], rows),
  ];
}

/** The memory of a process, in MB, 5 s and a minute after it has started; it gets no request. */
async function idleMemory(server: RunningServer): Promise<number[]> {
  const seen = [];
  for (const seconds of [5, 55]) {
    await sleep(seconds * 1000);
    seen.push(await megabytes(server));
  }
  await server.stop();
  return seen;
}

async function idle(): Promise<string[]> {
  const looks: Promise<number[]>[][] = KINDS.map(() => []);
  for (let n = 0; n < IDLE; n++)
    for (const [index, kind] of KINDS.entries())
      looks[index]?.push(idleMemory(await RunningServer.start(kind, "any core")));
  const rows = KINDS.map(async ({ name }, index) => {
    const seen = await Promise.all(looks[index] as Promise<number[]>[]);
    return [name, ...[0, 1].map((look) => median(seen.map((each) => each[look] as number)).toFixed(0))];
  });
  return [
    `Resident memory of an idle process, in MB, medians of ${IDLE} processes:`,
    table(["server", "after 5 s", "after a minute"], await Promise.all(rows)),
  ];
}

async function load(): Promise<string[]> {
  const server = await RunningServer.start(PETSTORE);
  const { port } = server;
  const rows = [];
  for (let sent = REQUESTS; sent <= TIMES * REQUESTS; sent += REQUESTS) {
    await measure(OPERATIONS.list, { port, connections: 64, duration: Infinity, requests: REQUESTS });
    rows.push([`${sent} requests`, (await megabytes(server)).toFixed(0)]);
  }
  await server.stop();
  return [
    "Resident memory of this service on memory storage, everything on, after so many requests:",
    table(["", "MB"], rows),
  ];
}

moveToLoadCore();
const sections = ["# Start and memory", `Written by \`npm run bench -- startup\`: ${machine()}.`];
const PARTS: Record<string, () => Promise<string[]>> = { starts, idle, load };
for (const [name, part] of Object.entries(PARTS))
  if (!process.env.PARTS || process.env.PARTS.includes(name)) sections.push(...(await part()));
const text = sections.join("\n\n");
console.log(text);
writeFileSync(join(BENCH, "results-startup.md"), `${text}\n`);
