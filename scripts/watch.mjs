// node scripts/watch.mjs dist | dist-test COMMAND: builds, runs the command, and repeats both after each change.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [target, command, ...args] = process.argv.slice(2);
const folders = target === "dist" ? ["src", "scripts"] : ["src", "scripts", "test"];
let child;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => end(signal).then(() => process.exit()));
}

for (let built; ; await sleep(300)) {
  const sources = state();
  if (sources === built) continue;
  built = sources;
  if (spawnSync(process.execPath, ["scripts/build.mjs", target], { stdio: "inherit" }).status !== 0) continue;
  await end("SIGTERM");
  // A process group of its own can be ended as a whole, and gets no signal of the terminal a second time.
  child = spawn(command, args, { stdio: "inherit", detached: true });
}

/** The sources with their modification times. `node --watch` follows only modules, and Node 20's fs.watch loses replaced files. */
function state() {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  );
  return files.map((file) => `${file} ${statSync(file, { throwIfNoEntry: false })?.mtimeMs}`).join("\n");
}

async function end(signal) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, signal);
  await once(child, "exit");
}
