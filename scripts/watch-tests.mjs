// npm run test:watch: on each save, builds without a check of types, and runs the unit tests that import a changed file,
// directly or not.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { onSave } from "./on-save.mjs";

const OUT = "dist-test";
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

/** Compiles what has changed since the last time. The whole build also makes the documentation page, and removes what has no source any more. */
function build(sources) {
  const page = join("src", "adapters", "http", "docs");
  if (sources.some((name) => !name.endsWith(".ts") || name.startsWith(page) || !existsSync(name)))
    return node("scripts/build.mjs", OUT, "--noCheck");
  const incremental = ["--incremental", "--tsBuildInfoFile", join(OUT, ".tsbuildinfo")];
  return node("node_modules/typescript/bin/tsc", "--outDir", OUT, "--noCheck", ...incremental);
}

/** Builds, and runs the tests that the changed sources touch; all, if a source is no module, such as the API document. */
function run(sources) {
  if (!build(sources)) return;
  const changed = new Set(sources.map((name) => resolve(OUT, name.replace(/\.ts$/, ".js"))));
  const all = sources.some((name) => !name.endsWith(".ts"));
  const tests = unitTests().filter((file) => all || reaches(file, changed));
  if (tests.length > 0) node("node_modules/mocha/bin/mocha.js", "--reporter", "dot", ...tests);
  console.log(`${tests.length} files of tests for ${sources.join(", ") || "a start"}; waiting for a save`);
}

onSave(["src", "test"], run);
console.log("waiting for a save in src or test");
