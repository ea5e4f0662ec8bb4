import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { median, ratio, table } from "./report.js";
import { type Load, MemoryServer, Server } from "./servers.js";

// `npm run bench FOLDER` writes bench/results.md. Servers take turns in interleaved rounds; only ratios are worth quoting.

const ROUNDS = 7;
/** Requests to each server in a round. */
const AMOUNT = 8000;
const OPERATIONS: Readonly<Record<string, Load>> = {
  list: { path: "/v1/pets?limit=20", status: 200 },
  get: { path: "/v1/pets/77", status: 200 },
  create: { path: "/v1/pets", method: "POST", body: '{"name":"Rex","categoryId":7}', status: 201 },
  "401": { path: "/v1/pets", key: "wrong", status: 401 },
};

interface Measured {
  /** Resolves to the server's processor time in microseconds. */
  load(load: Load, amount: number): Promise<number>;
  stop(): Promise<void>;
}

/** Resolves to the processor time per request in microseconds, by server and round. */
async function measure(operation: Load, servers: readonly Measured[]): Promise<number[][]> {
  const figures = servers.map((): number[] => []);
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, server] of servers.entries()) {
      const microseconds = await server.load(operation, AMOUNT);
      if (round > 0) figures[index]?.push(microseconds / AMOUNT);
    }
  }
  return figures;
}

/** Resolves to a table by operation: the median of each server, and the median of its ratios to the first server. */
async function compare(names: readonly string[], servers: readonly Measured[]): Promise<string> {
  const rows: string[][] = [];
  const sums = names.slice(1).map(() => 0);
  for (const server of servers) await server.load(OPERATIONS.create as Load, 1000);
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [own = [], ...others] = await measure(operation, servers);
    const ratios = others.map((figures) => ratio(figures, own));
    for (const [index, value] of ratios.entries()) sums[index] = (sums[index] ?? 0) + value;
    const medians = [own, ...others].map((figures) => median(figures).toFixed(1));
    rows.push([name, ...medians, ...ratios.map((value) => value.toFixed(2))]);
  }
  const means = sums.map((sum) => (sum / Object.keys(OPERATIONS).length).toFixed(2));
  rows.push(["mean", ...names.map(() => ""), ...means]);
  const header = ["operation", ...names, ...names.slice(1).map((name) => `${name} ÷ ${names[0]}`)];
  for (const server of servers) await server.stop();
  return table(header.join(" | "), rows);
}

const versionIn = (folder: string) => JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version;

async function report(before: string): Promise<string> {
  const [ours, theirs] = [versionIn("."), `${versionIn(before)} before`];
  const start = (name: string, folder: string, storage: string) =>
    Server.start(name, `${folder}/dist/src/main.js`, { PETSTORE_STORAGE: storage });
  const overLoopback = [
    await start(ours, ".", "memory:"),
    await start(theirs, before, "memory:"),
    await Server.start("Fastify", "dist-test/bench/fastify.js", {}),
  ];
  const onDisk = [
    await start(`${ours}, SQLite`, ".", "sqlite:./petstore.db"),
    await start(`${theirs}, SQLite`, before, "sqlite:./petstore.db"),
  ];
  const all = [...overLoopback, ...onDisk];
  const idle = await Promise.all(all.map((server) => server.idleMegabytes()));
  const starts = all.map(({ name, startedIn }, n) => [name, startedIn.toFixed(0), `${idle[n]?.toFixed(0)}`]);
  const inMemory = [await MemoryServer.start("ours"), await MemoryServer.start("fastify")];
  return [
    "## Over loopback, pets in memory",
    await compare([ours, theirs, "Fastify"], overLoopback),
    "## Over sockets in memory, pets in memory",
    await compare([ours, "Fastify"], inMemory),
    "## Over loopback, pets in SQLite",
    await compare([ours, theirs], onDisk),
    "## Start and memory",
    table("server | ms until it listens | MB idle", starts),
  ].join("\n\n");
}

const [before] = process.argv.slice(2);
if (!before) throw new Error("Name the folder in which the version before is built.");
const machine = `${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`;
const title = `# Results\n\nProcessor time per request, in µs. Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}, medians of ${ROUNDS} rounds.`;
const results = `${title}\n\n${await report(before)}\n`;
writeFileSync("bench/results.md", results);
console.log(results);
