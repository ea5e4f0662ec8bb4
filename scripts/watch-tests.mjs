// npm run test:watch: on each save, runs the unit tests that import a changed file, directly or not. The compiler goes on
// all the time, without a check of types, and writes only what has changed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { dirname, join, resolve } from "node:path";

const OUT = "dist-test";
/** How long an editor may take to save what belongs together, in milliseconds. */
const PAUSE = 50;

const node = (...args) => spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;

/** The files that a compiled file imports from this project. */
function importsOf(file) {
  const imports = readFileSync(file, "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
  return [...imports].map(([, path]) => resolve(dirname(file), path)).filter(existsSync);
}

/** Whether a compiled file is one of the changed ones, or leads to one. */
function reaches(file, changed, known = new Map()) {
  if (known.has(file)) return known.get(file);
  known.set(file, changed.has(file));
  const found = changed.has(file) || importsOf(file).some((one) => reaches(one, changed, known));
  known.set(file, found);
  return found;
}

function unitTests() {
  return readdirSync(join(OUT, "test"), { recursive: true })
    .filter((name) => name.endsWith(".spec.js") && !/\.(?:it|slow)\.spec\.js$/.test(name))
    .map((name) => resolve(OUT, "test", name));
}

/** Whether the compiler alone does not build a source: the documentation page, and what no longer is there. */
const needsBuild = (source) =>
  !source.endsWith(".ts") || source.startsWith(join("src", "api-document")) || !existsSync(source);

/** Runs the tests that the changed sources touch; all, if a source is no module, such as the API document. */
function run(sources) {
  const changed = new Set(sources.map((name) => resolve(OUT, name.replace(/\.ts$/, ".js"))));
  const all = sources.some((name) => !name.endsWith(".ts"));
  const tests = unitTests().filter((file) => all || reaches(file, changed));
  if (tests.length > 0) node("node_modules/mocha/bin/mocha.js", "--reporter", "dot", ...tests);
  console.log(`${tests.length} files of tests for ${sources.join(", ")}; waiting for a save`);
}

const saved = new Set();
function runSaved() {
  const sources = [...saved];
  saved.clear();
  if (sources.some(needsBuild) && !node("scripts/build.mjs", OUT, "--noCheck")) return;
  if (sources.length > 0) run(sources);
}

let timer;
for (const folder of ["src", "test"]) {
  watch(folder, { recursive: true }, (_event, name) => {
    const source = join(folder, name);
    saved.add(source);
    clearTimeout(timer);
    if (needsBuild(source)) timer = setTimeout(runSaved, PAUSE);
  });
}
const options = ["--outDir", OUT, "--noCheck", "--watch", "--preserveWatchOutput"];
const compiler = spawn(process.execPath, ["node_modules/typescript/bin/tsc", ...options], {
  stdio: ["ignore", "pipe", "inherit"],
});
compiler.stdout.setEncoding("utf8").on("data", (text) => {
  process.stdout.write(text);
  if (text.includes("Found 0 errors")) runSaved();
});
