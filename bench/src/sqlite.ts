import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { measure } from "./load.js";
import { type AtRate, sendAtRate } from "./open-loop.js";
import { OPERATIONS, type Operation } from "./operations.js";
import { machine, table } from "./report.js";
import { prepare } from "./rounds.js";
import { BENCH, petstore, RunningServer, type ServerKind } from "./servers.js";
import { median, quantile, ratio } from "./statistics.js";

// `npm run bench -- sqlite [MAIN] [ROUNDS]`: how long requests wait for SQLite's disk and lock. MAIN is the
// `dist/src/main.js` of an older commit, which the same rounds then measure, too. On Linux with `cc`.

const [, before, roundsText = "5"] = process.argv.slice(2);
const ROUNDS = Number(roundsText);
const DURATION = 1000;
const FILE = { PETSTORE_STORAGE: "sqlite:./petstore.db" };
const folder = mkdtempSync(join(tmpdir(), "petstore-bench-disk-"));
const disk = join(folder, "disk");
execFileSync("cc", [
  "-shared",
  "-fPIC",
  "-O1",
  "-o",
  `${disk}.so`,
  join(BENCH, "../test/support/slow-disk.c"),
  "-ldl",
]);
const SLOW = { LD_PRELOAD: `${disk}.so`, SLOW_DISK: disk };
const setDisk = (milliseconds: number) => writeFileSync(disk, String(milliseconds));
setDisk(0);

const VERSIONS: [string, string?][] = before ? [["before", before], ["now"]] : [["now"]];
const on = (name: string, environment: ServerKind["environment"], script?: string) =>
  petstore(name, environment, script);
const sections = [
  "# SQLite beside the event loop",
  `Written by \`npm run bench -- sqlite\`: ${machine()}; any core.`,
];

async function withServers<Result>(
  kinds: readonly ServerKind[],
  use: (servers: RunningServer[]) => Promise<Result>,
): Promise<Result> {
  const servers: RunningServer[] = [];
  for (const kind of kinds) servers.push(await RunningServer.start(kind, "any core"));
  for (const server of servers) await prepare(server);
  try {
    return await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function turn(server: RunningServer, operation: Operation, connections: number) {
  const { requests, seconds, latencies } = await measure(operation, {
    port: server.port,
    connections,
    duration: DURATION,
  });
  return { rate: requests / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
type Turn = Awaited<ReturnType<typeof turn>>;

/** Turns of each way, A B C A B C …, after a first round that does not count. */
async function rounds<Name extends string>(
  ways: Record<Name, () => Promise<Turn>>,
): Promise<Record<Name, Turn[]>> {
  const turns = Object.fromEntries(Object.keys(ways).map((name) => [name, []])) as unknown as Record<
    Name,
    Turn[]
  >;
  for (let round = 0; round <= ROUNDS; round++)
    for (const name of Object.keys(ways) as Name[]) {
      const done = await ways[name]();
      if (round > 0) turns[name].push(done);
    }
  return turns;
}

function report(title: string, turns: Record<string, Turn[]>, base: string): void {
  const baseRates = (turns[base] as Turn[]).map(({ rate }) => rate);
  const rows = Object.entries(turns).map(([name, own]) => {
    const {
      median: times,
      min,
      max,
    } = ratio(
      own.map(({ rate }) => rate),
      baseRates,
    );
    return [
      name,
      median(own.map(({ rate }) => rate)).toFixed(0),
      `${times.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`,
      median(own.map(({ p50 }) => p50)).toFixed(2),
      median(own.map(({ p99 }) => p99)).toFixed(1),
    ];
  });
  sections.push(`## ${title}`, table(["", "requests/s", `× ${base}`, "p50 ms", "p99 ms"], rows));
  console.log(sections.slice(-2).join("\n"));
}

async function throughput(): Promise<void> {
  const kinds = [on("memory", {}), ...VERSIONS.map(([name, script]) => on(`SQLite ${name}`, FILE, script))];
  await withServers(kinds, async (servers) => {
    const ways = (operation: Operation, connections: number) =>
      Object.fromEntries(
        servers.map((server) => [server.kind.name, () => turn(server, operation, connections)]),
      );
    report("creates, 64 in flight", await rounds(ways(OPERATIONS.create, 64)), "memory");
    report("creates, one at a time", await rounds(ways(OPERATIONS.create, 1)), kinds[1]?.name as string);
    report("lists, 64 in flight", await rounds(ways(OPERATIONS.list, 64)), kinds[1]?.name as string);
    report("gets, 64 in flight", await rounds(ways(OPERATIONS.get, 64)), kinds[1]?.name as string);
    const beside: Record<string, () => Promise<Turn>> = {};
    for (const server of servers) {
      beside[`${server.kind.name}: lists alone`] = () => turn(server, OPERATIONS.list, 64);
      beside[`${server.kind.name}: lists beside creates`] = async () => {
        const creates = turn(server, OPERATIONS.create, 64);
        const lists = await turn(server, OPERATIONS.list, 64);
        await creates;
        return lists;
      };
    }
    report("lists while creates run, 64 in flight each", await rounds(beside), `SQLite now: lists alone`);
  });
}

async function workers(): Promise<void> {
  const kinds = VERSIONS.flatMap(([name, script]) => [
    on(`${name}, one process`, FILE, script),
    on(`${name}, two workers`, { ...FILE, PETSTORE_WORKERS: "2" }, script),
  ]);
  await withServers(kinds, async (servers) => {
    const ways = (operation: Operation) =>
      Object.fromEntries(servers.map((server) => [server.kind.name, () => turn(server, operation, 64)]));
    report("workers: creates, 64 in flight", await rounds(ways(OPERATIONS.create)), "now, one process");
    const beside: Record<string, () => Promise<Turn>> = {};
    for (const server of servers) {
      beside[`${server.kind.name}: lists`] = () => turn(server, OPERATIONS.list, 16);
      beside[`${server.kind.name}: lists beside creates`] = async () => {
        const creates = turn(server, OPERATIONS.create, 64);
        const lists = await turn(server, OPERATIONS.list, 16);
        await creates;
        return lists;
      };
    }
    report(
      "workers: lists, 16 in flight, without and with creates at 64",
      await rounds(beside),
      "now, two workers: lists",
    );
  });
}

async function atRates(): Promise<void> {
  const rows: string[][] = [];
  const cells = ({ p50, p99, worst, statuses }: AtRate) => [
    p50.toFixed(1),
    p99.toFixed(1),
    worst.toFixed(0),
    Object.entries(statuses)
      .map(([status, count]) => `${status} × ${count}`)
      .join(", "),
  ];
  async function load(name: string, server: RunningServer, seconds: number): Promise<void> {
    const duration = seconds * 1000;
    const [lists, creates] = await Promise.all([
      sendAtRate(OPERATIONS.list, { port: server.port, rate: 1500, duration }),
      sendAtRate(OPERATIONS.create, { port: server.port, rate: 300, duration }),
    ]);
    rows.push([name, ...cells(lists), ...cells(creates)]);
    console.log(rows.at(-1)?.join(" | "));
  }
  for (const [version, script] of VERSIONS)
    for (const [what, milliseconds, stall] of [
      ["this disk", 0],
      ["fsync 10 ms slower", 10],
      ["disk stands still for 3 s", 0, 3],
      ["disk stands still for 12 s", 0, 12],
    ] as const) {
      await withServers([on(version, { ...FILE, ...SLOW }, script)], async ([server]) => {
        setDisk(milliseconds);
        const loaded = load(`${version}: ${what}`, server as RunningServer, stall ? stall + 3 : 8);
        if (stall) {
          await sleep(1000);
          setDisk(-1);
          await sleep(stall * 1000);
          setDisk(0);
        }
        await loaded;
        setDisk(0);
      });
    }
  sections.push(
    "## Lists at 1500/s and creates at 300/s",
    table(
      ["", ...["lists", "creates"].flatMap((who) => [`${who} p50 ms`, "p99 ms", "worst ms", "answers"])],
      rows,
    ),
  );
}

const PARTS: Record<string, () => Promise<void>> = { throughput, workers, atRates };
for (const [name, part] of Object.entries(PARTS))
  if (!process.env.PARTS || process.env.PARTS.includes(name)) await part();
writeFileSync(join(BENCH, "results-sqlite.md"), `${sections.join("\n\n")}\n`);
