import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { moveToLoadCore } from "./cores.js";
import { measure } from "./load.js";
import { get, OPERATIONS, type Operation } from "./operations.js";
import { machine, table } from "./report.js";
import { interleave } from "./rounds.js";
import { BENCH, petstore, RunningServer } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- growth`: the processor time of operations, and the memory, as the collection grows.

const SIZES = [1_000, 100_000, 1_000_000];
const KINDS = [petstore("memory", {}), petstore("SQLite", { PETSTORE_STORAGE: "sqlite:./petstore.db" })];
const PLAN = { connections: 64, rounds: 5, duration: 500 };

const cursors = pathToFileURL(join(BENCH, "../dist/src/adapters/http/operations/cursor.js")).href;
const { encodeCursor }: { encodeCursor(after: bigint, status: undefined): string } = await import(cursors);

const operation = (name: string, paths: readonly string[]): Operation => ({
  name,
  status: 200,
  requests: paths.map(get),
  check() {},
});

/** Ids from the whole collection, the same in every run. */
const spread = (size: number) =>
  Array.from({ length: 1000 }, (_, n) => 1 + Math.floor((n * (size - 40)) / 1000));

const deepPage = (after: number) => `/v1/pets?cursor=${encodeCursor(BigInt(after), undefined)}`;

const operations = (size: number): Operation[] => [
  operation("first page", ["/v1/pets"]),
  operation("deepest page", [deepPage(size - 40)]),
  operation("1000 pages in turn", spread(size).map(deepPage)),
  operation(
    "get, 1000 pets in turn",
    spread(size).map((id) => `/v1/pets/${id}`),
  ),
];

moveToLoadCore();
const rows: string[][] = [];
for (const kind of KINDS) {
  const server = await RunningServer.start(kind);
  let stored = 0;
  for (const size of SIZES) {
    const fill = { port: server.port, connections: 64, duration: Infinity, requests: size - stored };
    await measure(OPERATIONS.create, fill);
    stored = size;
    const taken: string[] = [];
    for (const operation of operations(size)) {
      const [turns = []] = await interleave([server], operation, PLAN);
      taken.push(median(turns.map(({ cpu }) => cpu)).toFixed(1));
    }
    const { rss } = await server.usage();
    rows.push([kind.name, String(size), ...taken, (rss / 2 ** 20).toFixed(0)]);
  }
  await server.stop();
}

const text = [
  "# Growth",
  `Written by \`npm run bench -- growth\`: ${machine()}.`,
  "Processor time per request in microseconds, 64 connections; resident memory in MiB after that.",
  table(["storage", "pets", ...operations(1000).map(({ name }) => name), "MiB"], rows),
].join("\n\n");
console.log(text);
writeFileSync(join(BENCH, "results-growth.md"), `${text}\n`);
