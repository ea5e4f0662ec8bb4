import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveToLoadCore } from "./cores.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { interleave, prepare } from "./rounds.js";
import { BENCH, petstore, RunningServer, type ServerKind } from "./servers.js";
import { median, ratio } from "./statistics.js";

// `npm run bench -- before REV [STARTS]`: this service beside itself at an older commit, in the same rounds.
//
// As in `guard.ts`, of the turns of one start the one that took the least processor time counts. A ratio above 1 means
// that the service has become faster.

const [, revision = "HEAD", starts = "5"] = process.argv.slice(2);
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
const folder = checkOut();
try {
  for (const [way, environment] of Object.entries(WAYS)) await compare(way, environment);
} finally {
  rmSync(folder, { recursive: true });
}

async function compare(way: string, environment: ServerKind["environment"]): Promise<void> {
  const kinds = [
    petstore("before", environment, join(folder, "dist/src/main.js")),
    petstore("now", environment),
  ];
  const least = new Map(NAMES.map((name) => [name, kinds.map((): number[] => [])]));
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
  for (const [name, [before = [], now = []]] of least) {
    const { median: middle, min, max } = ratio(before, now);
    console.log(
      `${way}, ${OPERATIONS[name].name}: ${median(before).toFixed(1)} µs before, ${median(now).toFixed(1)} now: ` +
        `${middle.toFixed(3)} (${min.toFixed(2)} to ${max.toFixed(2)})`,
    );
  }
}
