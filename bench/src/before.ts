import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { moveToLoadCore } from "./cores.js";
import { InProcessService, takeTurns } from "./in-process-service.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { interleave, prepare } from "./rounds.js";
import { BENCH, petstore, RunningServer, type ServerKind } from "./servers.js";
import { median, ratio } from "./statistics.js";

// `npm run bench -- before REV [STARTS] [sockets|memory]`: this service beside itself at an older commit, or beside the
// one that is built in folder REV, in the same rounds: over sockets, and in the processes of `in-process.ts`.
//
// As in `guard.ts`, of the turns of one start the one that took the least processor time counts. A ratio above 1 means
// that the service has become faster.

const [, revision = "HEAD", starts = "5", over] = process.argv.slice(2);
const REPOSITORY = join(BENCH, "..");
const PLAN = { connections: 64, rounds: 7, duration: 200 };
const NAMES: readonly OperationName[] = ["list", "get", "unauthorized", "invalid", "create"];
const WAYS = { "log off": { PETSTORE_LOG_LEVEL: "silent" }, "everything on": {} };

/** Builds the older commit in a folder of its own. */
function checkOut(): string {
  const folder = mkdtempSync(join(tmpdir(), "petstore-before-"));
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", REPOSITORY, folder]);
  const run = (command: string, ...rest: string[]) =>
    execFileSync(command, rest, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  run("git", "checkout", "--quiet", revision);
  const locks = [REPOSITORY, folder].map((path) =>
    execFileSync("git", ["hash-object", join(path, "package-lock.json")]).toString(),
  );
  if (locks[0] === locks[1]) symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  else run("npm", "ci", "--no-audit", "--no-fund");
  run("npm", "run", "--silent", "build");
  return folder;
}

moveToLoadCore();
const isBuilt = existsSync(join(revision, "dist/src/main.js"));
const folder = isBuilt ? resolve(revision) : checkOut();
const scratch = mkdtempSync(join(tmpdir(), "petstore-in-memory-"));
try {
  for (const [way, environment] of Object.entries(WAYS)) {
    if (over !== "sockets") await compareInMemory(way, environment);
    if (over !== "memory") await compare(way, environment);
  }
} finally {
  rmSync(scratch, { recursive: true });
  if (!isBuilt) rmSync(folder, { recursive: true });
}

async function compare(way: string, environment: ServerKind["environment"]): Promise<void> {
  const kinds = [
    petstore("before", environment, join(folder, "dist/src/main.js")),
    petstore("now", environment),
  ];
  const least = nothingYet();
  for (let start = 0; start < Number(starts); start++) {
    const servers: RunningServer[] = [];
    for (const kind of kinds) servers.push(await RunningServer.start(kind));
    for (const server of servers) await prepare(server);
    for (const name of NAMES) {
      const turns = await interleave(servers, OPERATIONS[name], PLAN);
      for (const [index, own] of turns.entries())
        least.get(name)?.[index]?.push(Math.min(...own.map(({ cpu }) => cpu)));
    }
    for (const server of servers) await server.stop();
  }
  report(`${way}, over sockets`, least);
}

async function compareInMemory(way: string, environment: ServerKind["environment"]): Promise<void> {
  const builds = [folder, REPOSITORY].map((path) => ({ PETSTORE_BENCH_SERVICE: join(path, "dist/src") }));
  const least = nothingYet();
  for (let start = 0; start < Number(starts); start++) {
    const services: InProcessService[] = [];
    for (const [index, build] of builds.entries())
      services.push(
        await InProcessService.start(`in-process-${index}`, scratch, { ...environment, ...build }),
      );
    for (const name of NAMES) {
      for (const [index, value] of (await takeTurns(services, name)).entries())
        least.get(name)?.[index]?.push(value);
    }
    for (const service of services) service.stop();
  }
  report(`${way}, in memory`, least);
}

/** By operation, for before and now, the least processor time per request of each start, in microseconds. */
type Least = ReadonlyMap<OperationName, readonly [before: number[], now: number[]]>;

function nothingYet(): Least {
  return new Map(NAMES.map((name) => [name, [[], []]]));
}

function report(way: string, least: Least): void {
  for (const [name, [before, now]] of least) {
    const { median: middle, min, max } = ratio(before, now);
    console.log(
      `${way}, ${OPERATIONS[name].name}: ${median(before).toFixed(1)} µs before, ${median(now).toFixed(1)} now: ` +
        `${middle.toFixed(3)} (${min.toFixed(2)} to ${max.toFixed(2)}); the least of all starts ` +
        `${Math.min(...before).toFixed(1)} and ${Math.min(...now).toFixed(1)}`,
    );
  }
}
