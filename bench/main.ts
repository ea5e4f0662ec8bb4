import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { median, ratio, table } from "./report.js";
import { type Load, Server } from "./servers.js";

// `npm run bench FOLDER` writes bench/results.md. Servers take turns in interleaved rounds; only ratios are worth quoting.

const ROUNDS = 7;
const OPERATIONS: Readonly<Record<string, Load>> = {
  list: { path: "/v1/pets?limit=20", status: 200 },
  get: { path: "/v1/pets/77", status: 200 },
  create: { path: "/v1/pets", method: "POST", body: '{"name":"Rex","categoryId":7}', status: 201 },
  "401": { path: "/v1/pets", key: "wrong", status: 401 },
};

/** Processor microseconds per request, for each server and round. */
async function measure(operation: Load, servers: readonly Server[]): Promise<number[][]> {
  const figures = servers.map((): number[] => []);
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, server] of servers.entries()) {
      const microseconds = await server.load(operation, 8000);
      if (round > 0) figures[index]?.push(microseconds / 8000);
    }
  }
  return figures;
}

const versionIn = (folder: string) => JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version;

async function compare(before: string): Promise<string> {
  const [ours, theirs] = [versionIn("."), `${versionIn(before)} before`];
  const start = (name: string, folder: string, storage: string) =>
    Server.start(name, `${folder}/dist/src/main.js`, { PETSTORE_STORAGE: storage });
  const inMemory = [
    await start(ours, ".", "memory:"),
    await start(theirs, before, "memory:"),
    await Server.start("Fastify", "dist-test/bench/fastify-server.js", {}),
  ];
  const onDisk = [
    await start(`${ours}, SQLite`, ".", "sqlite:./petstore.db"),
    await start(`${theirs}, SQLite`, before, "sqlite:./petstore.db"),
  ];
  const servers = [...inMemory, ...onDisk];
  try {
    const idle = await Promise.all(servers.map((server) => server.idleMegabytes()));
    for (const server of servers) await server.load(OPERATIONS.create as Load, 1000);
    const rows: string[][] = [];
    for (const [storage, group] of [
      ["memory", inMemory],
      ["SQLite", onDisk],
    ] as const) {
      for (const [name, operation] of Object.entries(OPERATIONS)) {
        const [own = [], previous = [], fastify = []] = await measure(operation, group);
        const medians = [own, previous, fastify].map((figures) => median(figures).toFixed(1));
        rows.push([`${name}, ${storage}`, ...medians, ratio(previous, own), ratio(fastify, own)]);
      }
    }
    const starts = servers.map(({ name, startedIn }, index) => [
      name,
      startedIn.toFixed(0),
      `${idle[index]?.toFixed(0)}`,
    ]);
    const header = `operation | ${ours} | ${theirs} | Fastify | ${theirs} ÷ ${ours} | Fastify ÷ ${ours}`;
    return [
      "## Processor time per request, in µs",
      table(header, rows).replaceAll("NaN", ""),
      "## Start and memory",
      table("server | ms until it listens | MB idle", starts),
    ].join("\n\n");
  } finally {
    for (const server of servers) await server.stop();
  }
}

const [before] = process.argv.slice(2);
if (!before) throw new Error("Name the folder in which the version before is built.");
const machine = `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`;
const title = `# Results\n\nWritten by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}, medians of ${ROUNDS} rounds.`;
const results = `${title}\n\n${await compare(before)}\n`;
writeFileSync("bench/results.md", results);
console.log(results);
