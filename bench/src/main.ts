// `npm run bench` measures this service beside others; `npm run bench -- durable` and so on measure the rest.

const BENCHMARKS: Readonly<Record<string, () => Promise<unknown>>> = {
  peers: () => import("./peers.js"),
  durable: () => import("./durable.js"),
  sqlite: () => import("./sqlite.js"),
  growth: () => import("./growth.js"),
  workers: () => import("./workers.js"),
  startup: () => import("./startup.js"),
  guard: () => import("./guard.js"),
  before: () => import("./before.js"),
  pieces: () => import("./pieces.js"),
  profile: () => import("./profile.js"),
};

const [name = "peers"] = process.argv.slice(2);
const run = BENCHMARKS[name];
if (!run)
  throw new Error(`There is no benchmark of this name; there are ${Object.keys(BENCHMARKS).join(", ")}.`);
await run();
