// node scripts/build.mjs dist | dist-test: builds the program, or the program and its tests. It builds into a new folder and then
// moves each file over the former one, so that a program that starts or runs meanwhile finds every file, complete.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [target = "dist"] = process.argv.slice(2);
const folder = mkdtempSync(".build-");
const docs = "src/adapters/http/docs";
const tsc = "node_modules/typescript/bin/tsc";

// A signal ends the build after its running step, so that it leaves no folder.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => (process.exitCode = 1));

try {
  await run(tsc, "-p", target === "dist" ? "tsconfig.build.json" : "tsconfig.json", "--outDir", folder);
  await run(tsc, "-p", `${docs}/browser`, "--outDir", join(folder, docs, "public"));
  await run(join(folder, "scripts/page/build.js"), join(folder, docs, "public"));
  if (!process.exitCode) move();
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs a step of the build, unless an earlier step has failed and printed why. */
async function run(...step) {
  if (process.exitCode) return;
  // A process group of its own keeps a Ctrl-C from tsc, which would go on writing after it.
  const child = spawn(process.execPath, step, { stdio: "inherit", detached: true });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exitCode = 1;
}

/** Moves the new files to their place, and deletes the files of the former build that are not among them. */
function move() {
  if (target === "dist") rmSync(join(folder, "scripts"), { recursive: true });
  const former = existsSync(target) ? readdirSync(target, { recursive: true }) : [];
  const built = readdirSync(folder, { recursive: true });
  mkdirSync(target, { recursive: true });
  for (const name of built) {
    if (statSync(join(folder, name)).isDirectory()) mkdirSync(join(target, name), { recursive: true });
    else renameSync(join(folder, name), join(target, name));
  }
  for (const name of former) {
    if (!built.includes(name)) rmSync(join(target, name), { recursive: true, force: true });
  }
}
