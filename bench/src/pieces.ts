import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onAnyCore } from "./cores.js";
import { API_KEY, type OperationName } from "./operations.js";
import { BENCH } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- pieces [STARTS] [PIECE …]`: what each piece of our own code gains beside the library, or the part
// of Koa or of Node, in whose place it stands. Each process is the service with one module replaced (`in-process.ts`).
//
// All take turns of a few batches. What else a machine does only ever adds to processor time, so of all batches of a
// start the one that took least counts. A request over a real socket takes 5 to 6 µs more, so the shares are at most
// those shown.

/** The replacements in `pieces`, and what they replace in `src`; `same` shows the noise. */
const PIECES: Readonly<Record<string, string>> = {
  same: "",
  routes: "adapters/http/operations/routes.js",
  "json-reader": "adapters/http/body/json-reader.js",
  "request-log": "adapters/http/middleware/request-log.js",
  totals: "adapters/metrics/totals.js",
  log: "process/log.js",
  "quick-response": "adapters/http/server/quick-response.js",
  "quick-response-end": "adapters/http/server/quick-response.js",
  "petstore-app-set": "adapters/http/petstore-app.js",
  "petstore-app-callback": "adapters/http/petstore-app.js",
};

const [, starts = "3", ...given] = process.argv.slice(2);
const names = given.length > 0 ? given : Object.keys(PIECES);
const TURNS = 8;
const BATCHES = 3;
const MEASURED: readonly OperationName[] = ["list", "create"];

async function start(name: string): Promise<ChildProcess> {
  const log = join(folder, `${name || "own"}.log`);
  const output = openSync(log, "w");
  const of = PIECES[name];
  const piece = of && { PIECE_OF: of, PIECE: pathToFileURL(join(BENCH, "dist/pieces", `${name}.js`)).href };
  const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const [command, ...rest] = onAnyCore("--import", file("replace.js"), file("in-process.js"));
  const child = spawn(command, rest, {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_ENV: "production", PETSTORE_API_KEY: API_KEY, ...STORAGE, ...piece },
    stdio: ["ignore", output, "inherit", "ipc"],
  });
  child.once("exit", (code) => code && process.exit(code));
  if ((await once(child, "message"))[0] !== "ready") throw new Error(`${name} did not start.`);
  if (piece && !readFileSync(log, "utf8").includes(`replaced ${of}`)) throw new Error(`${name} is not used.`);
  return child;
}

async function takeTurn(child: ChildProcess, name: OperationName, batches: number): Promise<number> {
  child.send({ name, batches });
  return (await once(child, "message"))[0];
}

const STORAGE = { PETSTORE_STORAGE: "memory:" };
const folder = mkdtempSync(join(tmpdir(), "petstore-pieces-"));
/** By operation and process, ours being the first, the least of each start. */
const least = new Map(MEASURED.map((name) => [name, ["", ...names].map((): number[] => [])]));
for (let count = 0; count < Number(starts); count++) {
  const children = [];
  for (const name of ["", ...names]) children.push(await start(name));
  for (const name of MEASURED) {
    for (const child of children) await takeTurn(child, name, 2 * BATCHES);
    const found = children.map(() => Number.POSITIVE_INFINITY);
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [index, child] of children.entries())
        found[index] = Math.min(found[index] as number, await takeTurn(child, name, BATCHES));
    }
    for (const [index, value] of found.entries()) least.get(name)?.[index]?.push(value);
  }
  for (const child of children) child.disconnect();
}
rmSync(folder, { recursive: true });

for (const name of MEASURED) {
  const [own = [], ...replaced] = least.get(name) ?? [];
  console.log(`${name}: ${median(own).toFixed(1)} µs as it is`);
  for (const [index, other] of replaced.entries()) {
    const gains = other.map((value, start) => value - (own[start] as number));
    const shares = gains.map((gain, start) => (100 * gain) / (own[start] as number));
    console.log(
      `  without ${names[index]}: ${median(gains).toFixed(2)} µs more, ${median(shares).toFixed(1)} % ` +
        `(${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)})`,
    );
  }
}
