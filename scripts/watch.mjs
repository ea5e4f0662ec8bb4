// node scripts/watch.mjs dist | dist-test COMMAND: builds and runs the command, again after each change.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const [target, command, ...args] = process.argv.slice(2);
let child;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, async () => {
    await end(signal);
    process.exit();
  });

for (let built = ""; ; await setTimeout(300)) {
  const sources = state();
  if (sources === built) continue;
  built = sources;
  if (spawnSync(process.execPath, ["scripts/build.mjs", target], { stdio: "inherit" }).status !== 0) continue;
  await end("SIGTERM");
  // In its own process group, so that a signal from the terminal does not reach it twice.
  child = spawn(command, args, { stdio: "inherit", detached: true });
}

/** The sources with their modification times. Node 20's fs.watch loses a file that an editor replaces. */
function state() {
  const folders = ["src", "scripts", ...(target === "dist" ? [] : ["test"])];
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
