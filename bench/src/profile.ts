import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveToLoadCore } from "./cores.js";
import { flameGraph } from "./flame-graph.js";
import { measure } from "./load.js";
import { OPERATIONS, type OperationName } from "./operations.js";
import { prepare } from "./rounds.js";
import { BENCH, PETSTORE, RunningServer } from "./servers.js";

// `npm run bench -- profile`: the processor time of this service, as flame graphs in `bench/profiles`.

const PROFILED: readonly OperationName[] = ["list", "get", "create"];
const DURATION = 5000;

moveToLoadCore();
const target = join(BENCH, "profiles");
mkdirSync(target, { recursive: true });
for (const name of PROFILED) {
  const folder = mkdtempSync(join(tmpdir(), "petstore-profile-"));
  const nodeArguments = ["--cpu-prof", "--cpu-prof-interval", "200", "--cpu-prof-dir", folder];
  const server = await RunningServer.start({ ...PETSTORE, nodeArguments });
  await prepare(server);
  await measure(OPERATIONS[name], { port: server.port, connections: 64, duration: DURATION });
  await server.stop();
  const [file = ""] = readdirSync(folder);
  const svg = flameGraph(JSON.parse(readFileSync(join(folder, file), "utf8")));
  writeFileSync(join(target, `${name}.svg`), svg);
  rmSync(folder, { recursive: true });
  console.log(`Written to bench/profiles/${name}.svg.`);
}
