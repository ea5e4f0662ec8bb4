import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InProcessService, takeTurns } from "./in-process-service.js";
import type { OperationName } from "./operations.js";
import { BENCH } from "./servers.js";
import { median } from "./statistics.js";

// `npm run bench -- pieces [STARTS] [PIECE …]`: what each piece of our own code gains beside the library, or the part
// of Koa or of Node, in whose place it stands. Each process is the service with one module replaced (`in-process.ts`).
//
// The processes take turns of a few batches. Of each start of a process, the batch that took least counts; on a busy
// machine the least of all starts says more. A request over a real socket takes 5 to 6 µs more, so the shares are at most those shown.

/** The replacements in `pieces`, and what they replace in `src`; `same` shows the noise. */
const PIECES: Readonly<Record<string, string>> = {
  same: "",
  router: "adapters/http/operations/router.js",
  "json-reader": "adapters/http/body/json-reader.js",
  "request-log": "adapters/http/middleware/request-log.js",
  "metric-types": "adapters/metrics/metric-types.js",
  log: "process/log.js",
  "quick-response": "adapters/http/server/quick-response.js",
  "quick-response-end": "adapters/http/server/quick-response.js",
  "petstore-app-callback": "adapters/http/petstore-app.js",
};

const [, starts = "3", ...given] = process.argv.slice(2);
const names = given.length > 0 ? given : Object.keys(PIECES);
const MEASURED: readonly OperationName[] = ["list", "get", "create"];

async function start(name: string): Promise<InProcessService> {
  const of = PIECES[name];
  const piece = of && { PIECE_OF: of, PIECE: pathToFileURL(join(BENCH, "dist/pieces", `${name}.js`)).href };
  const replace = fileURLToPath(new URL("replace.js", import.meta.url));
  const service = await InProcessService.start(name || "own", folder, { ...piece }, "--import", replace);
  if (piece && !service.output().includes(`replaced ${of}`)) throw new Error(`${name} is not used.`);
  return service;
}

const folder = mkdtempSync(join(tmpdir(), "petstore-pieces-"));
/** The least time of each start, by operation and by process; the first process has nothing replaced. */
const least = new Map(MEASURED.map((name) => [name, ["", ...names].map((): number[] => [])]));
for (let count = 0; count < Number(starts); count++) {
  const services = [];
  for (const name of ["", ...names]) services.push(await start(name));
  for (const name of MEASURED) {
    for (const [index, value] of (await takeTurns(services, name)).entries())
      least.get(name)?.[index]?.push(value);
  }
  for (const service of services) service.stop();
}
rmSync(folder, { recursive: true });

for (const name of MEASURED) {
  const [own = [], ...replaced] = least.get(name) ?? [];
  console.log(`${name}: ${median(own).toFixed(1)} µs as it is`);
  for (const [index, other] of replaced.entries()) {
    const gains = other.map((value, start) => value - (own[start] as number));
    const shares = gains.map((gain, start) => (100 * gain) / (own[start] as number));
    const leastGain = Math.min(...other) - Math.min(...own);
    console.log(
      `  without ${names[index]}: ${median(gains).toFixed(2)} µs more, ${median(shares).toFixed(1)} % ` +
        `(${Math.min(...shares).toFixed(1)} to ${Math.max(...shares).toFixed(1)}); of the least of all starts ` +
        `${leastGain.toFixed(2)} µs, ${((100 * leastGain) / Math.min(...own)).toFixed(1)} %`,
    );
  }
}
