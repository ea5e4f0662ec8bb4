import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { moveToLoadCore } from "./cores.js";
import { OPERATIONS } from "./operations.js";
import { machine, operationTable, table } from "./report.js";
import { interleave, prepare } from "./rounds.js";
import { BENCH, petstore, RunningServer } from "./servers.js";
import { median, type Ratio, ratio } from "./statistics.js";

// `npm run bench -- durable`: SQLite beside memory, and beside the bare binding that commits one insert after the other.

const KINDS = [petstore("memory", {}), petstore("SQLite", { PETSTORE_STORAGE: "sqlite:./petstore.db" })];
const ROUNDS = 7;
const DURATION = 1000;

moveToLoadCore();
const servers = await Promise.all(KINDS.map((kind) => RunningServer.start(kind)));
for (const server of servers) await prepare(server);
const names = KINDS.map(({ name }) => name);

const sections = ["# Durable storage", `Written by \`npm run bench -- durable\`: ${machine()}.`];
const plan = { connections: 64, rounds: ROUNDS, duration: DURATION };
for (const operation of [OPERATIONS.list, OPERATIONS.filtered, OPERATIONS.get, OPERATIONS.create]) {
  sections.push(operationTable(operation, plan, names, await interleave(servers, operation, plan), 0).text);
}

const bare: number[] = [];
const service: number[] = [];
const one = { connections: 1, rounds: 1, duration: DURATION };
for (let round = 0; round < ROUNDS; round++) {
  bare.push(insertForAWhile());
  const [turns = []] = await interleave(servers.slice(1), OPERATIONS.create, one);
  service.push(...turns.map(({ rate }) => rate));
}
const cell = ({ median, min, max }: Ratio) => `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
sections.push(
  "## create, one at a time",
  table(
    ["", "creates/s", "× binding"],
    [
      ["the binding in a loop", median(bare).toFixed(0), "1"],
      ["SQLite, 1 connection", median(service).toFixed(0), cell(ratio(service, bare))],
    ],
  ),
);
await Promise.all(servers.map((server) => server.stop()));

const text = `${sections.join("\n\n")}\n`;
console.log(text);
writeFileSync(join(BENCH, "results-durable.md"), text);

/** How many inserts a second the binding alone commits, each to the disk. */
function insertForAWhile(): number {
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec(
    "CREATE TABLE pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, category_id INTEGER, status TEXT)",
  );
  database.exec("CREATE INDEX pets_by_status ON pets (status)");
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < DURATION) insert.run(`Pet ${++count}`, BigInt(count), "sold");
  const seconds = (performance.now() - start) / 1000;
  database.close();
  rmSync(folder, { recursive: true });
  return count / seconds;
}
