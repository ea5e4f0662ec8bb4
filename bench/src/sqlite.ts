import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
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
  `Written by \`npm run bench -- sqlite\`: ${machine("any core")}; ${busy()}.`,
];

/** How many processes wanted a core, other than these, just before the measurements. */
function busy(): string {
  return `other programs: a load of ${loadavg()[0]?.toFixed(0)}`;
}

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
  const usedBefore = (await server.usage()).cpu;
  const { requests, seconds, latencies } = await measure(operation, {
    port: server.port,
    connections,
    duration: DURATION,
  });
  const cpu = ((await server.usage()).cpu - usedBefore) / requests;
  return { rate: requests / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99), cpu };
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

/** @param ownTime whether the processor time of the process is that of these requests alone */
function report(title: string, turns: Record<string, Turn[]>, base: string, ownTime = false): void {
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
      ...(ownTime ? [median(own.map(({ cpu }) => cpu)).toFixed(0)] : []),
    ];
  });
  sections.push(
    `## ${title}`,
    table(["", "requests/s", `× ${base}`, "p50 ms", "p99 ms", ...(ownTime ? ["processor µs"] : [])], rows),
  );
  console.log(sections.slice(-2).join("\n"));
}

async function throughput(): Promise<void> {
  const kinds = [on("memory", {}), ...VERSIONS.map(([name, script]) => on(`SQLite ${name}`, FILE, script))];
  await withServers(kinds, async (servers) => {
    const ways = (operation: Operation, connections: number) =>
      Object.fromEntries(
        servers.map((server) => [server.kind.name, () => turn(server, operation, connections)]),
      );
    report("creates, 64 in flight", await rounds(ways(OPERATIONS.create, 64)), "memory", true);
    const older = kinds[1]?.name as string;
    report("creates, one at a time", await rounds(ways(OPERATIONS.create, 1)), older, true);
    report("creates, 300 a second", await rounds(atRate(servers)), older, true);
    report("lists, 64 in flight", await rounds(ways(OPERATIONS.list, 64)), older, true);
    report("gets, 64 in flight", await rounds(ways(OPERATIONS.get, 64)), older, true);
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

function atRate(servers: readonly RunningServer[]): Record<string, () => Promise<Turn>> {
  const RATE = 300;
  const duration = 3 * DURATION;
  return Object.fromEntries(
    servers.map((server) => [
      server.kind.name,
      async () => {
        const usedBefore = (await server.usage()).cpu;
        const sent = await sendAtRate(OPERATIONS.create, { port: server.port, rate: RATE, duration });
        const created = sent.statuses["201"] ?? 0;
        const cpu = ((await server.usage()).cpu - usedBefore) / created;
        return { rate: (1000 * created) / duration, p50: sent.p50, p99: sent.p99, cpu };
      },
    ]),
  );
}

/** Processes that do nothing but create pets in one file: whether each gets its turn, and how fast they are. */
async function turns(): Promise<void> {
  const rows: string[][] = [];
  const duration = 3 * DURATION;
  for (const [version, script = join(BENCH, "../dist/src/main.js")] of VERSIONS)
    for (const milliseconds of [0, 10])
      for (const [processes, clients] of [
        [1, 64],
        [2, 32],
        [4, 16],
      ] as const) {
        setDisk(milliseconds);
        const file = join(mkdtempSync(join(folder, "turns-")), "petstore.db");
        const args = [script, file, String(clients)];
        const env = { ...process.env, ...SLOW };
        const creators = [];
        for (let n = 0; n < processes; n++) {
          const creator = fork(fileURLToPath(new URL("keep-creating.js", import.meta.url)), args, { env });
          await once(creator, "message");
          creators.push(creator);
        }
        const told = creators.map((creator) => once(creator, "message") as Promise<[number[]]>);
        const ended = creators.map((creator) => once(creator, "exit"));
        for (const creator of creators) creator.send({ duration });
        const taken = (await Promise.all(told)).map(([times]) => times);
        await Promise.all(ended);
        const all = Float64Array.from(taken.flat()).sort();
        const shares = taken.map((times) => `${((100 * times.length) / all.length).toFixed(0)} %`);
        const at = milliseconds === 0 ? "this disk" : `fsync ${milliseconds} ms slower`;
        rows.push([
          `${version}, ${at}: ${processes} × ${clients} clients`,
          ((1000 * all.length) / duration).toFixed(0),
          shares.join(", "),
          quantile(all, 0.5).toFixed(1),
          quantile(all, 0.99).toFixed(0),
          quantile(all, 1).toFixed(0),
        ]);
        console.log(rows.at(-1)?.join(" | "));
      }
  setDisk(0);
  sections.push(
    "## Processes that take turns at one file, without HTTP",
    table(["", "creates/s", "shares of the processes", "p50 ms", "p99 ms", "worst ms"], rows),
  );
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
      ["disk stands still for 60 s", 0, 60],
    ] as const) {
      // 1.0.0 answers nothing meanwhile, and the measurement does not end.
      if (version === "before" && stall && stall > 3) continue;
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

const PARTS: Record<string, () => Promise<void>> = { throughput, workers, turns, atRates };
for (const [name, part] of Object.entries(PARTS))
  if (!process.env.PARTS || process.env.PARTS.includes(name)) await part();
writeFileSync(join(BENCH, "results-sqlite.md"), `${sections.join("\n\n")}\n`);
