import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { median, ratio, table } from "./report.js";
import { type Load, Server } from "./servers.js";
import { besideDrivers } from "./storages.js";

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
    for (const [at, server] of servers.entries()) {
      const microseconds = await server.load(operation, 8000);
      if (round > 0) figures[at]?.push(microseconds / 8000);
    }
  }
  return figures;
}

async function besideServers(before: string): Promise<string> {
  const start = (name: string, folder: string, storage: string) =>
    Server.start(name, `${folder}/dist/src/main.js`, { PETSTORE_STORAGE: storage });
  const inMemory = [
    await start("ours", ".", "memory:"),
    await start("before", before, "memory:"),
    await Server.start("Fastify", "dist-test/bench/fastify-server.js", {}),
  ];
  const onDisk = [
    await start("ours, SQLite", ".", "sqlite:./petstore.db"),
    await start("before, SQLite", before, "sqlite:./petstore.db"),
  ];
  const servers = [...inMemory, ...onDisk];
  try {
    const idle = await Promise.all(servers.map((server) => server.idleMegabytes()));
    for (const server of servers) await server.load(OPERATIONS.create as Load, 1000);
    const rows: string[][] = [];
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      for (const [where, group] of [
        ["memory", inMemory],
        ["SQLite", onDisk],
      ] as const) {
        const [ours = [], others, fastify] = await measure(operation, group);
        const medians = [ours, others ?? [], fastify ?? []].map((one) => median(one).toFixed(1));
        rows.push([`${name}, ${where}`, ...medians, ratio(others, ours), ratio(fastify, ours)]);
      }
    }
    const starts = servers.map(({ name, startedIn }, at) => [
      name,
      startedIn.toFixed(0),
      `${idle[at]?.toFixed(0)}`,
    ]);
    return [
      "## Processor time per request, in µs",
      table("operation | ours | before | Fastify | before ÷ ours | Fastify ÷ ours", rows).replaceAll(
        "NaN",
        "",
      ),
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
const parts = [
  title,
  await besideServers(before),
  await besideDrivers(process.env.PETSTORE_TEST_MONGODB_URL),
];
writeFileSync("bench/results.md", `${parts.join("\n\n")}\n`);
console.log(parts.join("\n\n"));
