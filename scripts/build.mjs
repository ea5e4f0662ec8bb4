// node scripts/build.mjs dist | dist-test: builds the program, or the program and its tests, unless nothing has changed.
// It builds into a temporary folder and then moves the files, so that programs can keep running.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [target = "dist"] = process.argv.slice(2);
const isProgram = target === "dist";
const config = isProgram ? "tsconfig.build.json" : "tsconfig.json";
const folders = ["src", "scripts", ...(isProgram ? [] : ["test", "bench"])];
const files = [config, "tsconfig.json", "package.json", "package-lock.json"];
/** The digests of the inputs and of the outputs. Written last, so an interrupted build is repeated. */
const stamp = join(target, ".built");

sweep();
const sources = digest(".", [...folders.flatMap((folder) => filesIn(folder, folder)), ...files]);
const stamped = existsSync(stamp) && readFileSync(stamp, "utf8");
if (stamped !== `${sources} ${digest(target, filesIn(target))}`) build(`.build-${process.pid}`);

function build(folder) {
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  const docs = "src/adapters/http/docs";
  const steps = [
    [tsc, "-p", config, "--outDir", folder],
    [tsc, "-p", `${docs}/browser`, "--outDir", join(folder, docs, "public")],
    [join(folder, "scripts/page/build.js"), join(folder, docs, "public")],
  ];
  rmSync(folder, { recursive: true, force: true });
  try {
    // A failing step prints why.
    if (steps.every((step) => spawnSync(process.execPath, step, { stdio: "inherit" }).status === 0)) {
      if (isProgram) rmSync(join(folder, "scripts"), { recursive: true });
      move(folder);
    } else process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function move(folder) {
  const built = filesIn(folder);
  const outputs = digest(folder, built);
  for (const file of built) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    renameSync(join(folder, file), join(target, file));
  }
  for (const file of filesIn(target)) if (!built.includes(file)) rmSync(join(target, file));
  writeFileSync(stamp, `${sources} ${outputs}`);
}

/** The files in a folder, recursively, except the stamp and what tests generate. */
function filesIn(folder, prefix = "") {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== ".built")
    .map((entry) => join(prefix, entry.parentPath.slice(folder.length), entry.name))
    .filter((file) => !file.startsWith("test/generated-client/"))
    .sort();
}

function digest(folder, files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** Removes the folders of builds that were killed. */
function sweep() {
  for (const name of readdirSync(".").filter((name) => name.startsWith(".build-"))) {
    try {
      process.kill(Number(name.slice(".build-".length)), 0);
    } catch (error) {
      if (error.code !== "EPERM") rmSync(name, { recursive: true, force: true });
    }
  }
}
