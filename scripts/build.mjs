// node scripts/build.mjs FOLDER [--noCheck]: builds program and tests into dist, or another folder beside it, while programs
// may run from there. It builds beside the folder, and then replaces only the files that differ, each in one step.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`petstore: Node ${process.version} is too old; install 20.19 or newer.`);
  process.exit(1);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const [folder = "dist", ...options] = process.argv.slice(2);
const target = join(root, folder);
const built = mkdtempSync(join(root, ".build-"));

try {
  const compiled = await Promise.all([
    tsc("--outDir", built),
    tsc("-p", "src/exports", "--outDir", built),
    tsc("-p", "src/api-document/browser", "--outDir", join(built, "src/api-document/public")),
  ]);
  if (compiled.every(Boolean) && (await node(join(built, "src/api-document/build.js")))) replaceFiles();
  // What has failed has said so.
  else process.exitCode = 1;
} finally {
  rmSync(built, { recursive: true, force: true });
}

/** Whether a program of Node ends well. */
async function node(...args) {
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: "inherit" }), "exit");
  return code === 0;
}

function tsc(...args) {
  return node("node_modules/typescript/bin/tsc", ...args, ...options);
}

function replaceFiles() {
  const files = filesIn(built);
  for (const file of files) {
    if (isSame(file)) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(built, file), join(target, file));
  }
  for (const file of filesIn(target)) if (!files.includes(file)) rmSync(join(target, file), { force: true });
}

function isSame(file) {
  try {
    return readFileSync(join(built, file)).equals(readFileSync(join(target, file)));
  } catch {
    return false;
  }
}

function filesIn(path) {
  mkdirSync(path, { recursive: true });
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}
