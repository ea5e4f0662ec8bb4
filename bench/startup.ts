import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { KINDS as BESIDE } from "./fastify.js";
import { OPERATIONS, type Request } from "./operations.js";
import { table } from "./report.js";
import { petstore, RunningServer, type ServerKind } from "./server.js";
import { median } from "./statistics.js";

const ROUNDS = 9;
/** How long a server idles before a look at its memory, in milliseconds. */
const IDLE = 5000;

const KINDS = [
  petstore("Petstore, memory"),
  petstore("Petstore, SQLite", { PETSTORE_STORAGE: "sqlite:./petstore.db" }),
  BESIDE[1] as ServerKind,
];

/** From the start of the process to its first answer, in milliseconds of the clock and of the processor. */
async function start(kind: ServerKind): Promise<{ clock: number; cpu: number }> {
  const begun = performance.now();
  const server = await RunningServer.start(kind);
  await (await server.ask(OPERATIONS[0]?.requests[0] as Request)).text();
  const clock = performance.now() - begun;
  const { cpu } = await server.usage();
  await server.stop();
  return { clock, cpu: cpu / 1000 };
}

async function emptyProgram(): Promise<number> {
  const begun = performance.now();
  await once(spawn(process.execPath, ["-e", "0"]), "exit");
  return performance.now() - begun;
}

/** Resident memory after a few idle seconds, in MB. */
async function idleMemory(kind: ServerKind): Promise<number> {
  const server = await RunningServer.start(kind);
  await sleep(IDLE);
  const { rss } = await server.usage();
  await server.stop();
  return rss / 1e6;
}

/** How long a start takes, and how much memory an idle process. */
export async function startup(): Promise<string> {
  const empty: number[] = [];
  const starts = KINDS.map((): { clock: number; cpu: number }[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    empty.push(await emptyProgram());
    for (const [index, kind] of KINDS.entries()) starts[index]?.push(await start(kind));
  }
  const memory = await Promise.all(KINDS.map(idleMemory));
  const rows = KINDS.map(({ name }, index) => {
    const own = starts[index] ?? [];
    const figures = [
      median(own.map(({ clock }) => clock)),
      median(own.map(({ cpu }) => cpu)),
      memory[index] ?? 0,
    ];
    return [name, ...figures.map((figure) => figure.toFixed(0))];
  });
  const header = ["server", "ms to the first answer", "processor ms", `MB after ${IDLE / 1000} s idle`];
  const footnote = `Medians of ${ROUNDS} starts; \`node -e 0\` takes ${median(empty).toFixed(0)} ms.`;
  return `## Start and memory\n\n${footnote}\n\n${table(header, rows)}`;
}
