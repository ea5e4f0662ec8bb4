// node scripts/build.mjs dist | dist-test: builds the program, or the program and its tests, unless nothing has changed.
// It builds into a folder beside the target and then replaces the files that differ, so that programs may run meanwhile.
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [target = "dist"] = process.argv.slice(2);
const config = target === "dist" ? "tsconfig.build.json" : "tsconfig.json";
const inputs = [
  "src",
  ...(target === "dist" ? [] : ["test", "bench"]),
  "scripts",
  config,
  "package-lock.json",
];

if (newest(inputs) > newest([join(target, ".built")])) {
  const built = mkdtempSync(".build-");
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  const page = "src/adapters/http/docs";
  const steps = [
    [tsc, "-p", config, "--outDir", built],
    [tsc, "-p", `${page}/browser`, "--outDir", join(built, page, "public")],
    [join(built, page, "build.js")],
  ];
  try {
    // A step that fails says why.
    if (steps.every((step) => spawnSync(process.execPath, step, { stdio: "inherit" }).status === 0)) {
      writeFileSync(join(built, ".built"), "");
      replaceFiles(built);
    } else process.exitCode = 1;
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/** The latest time at which a file or a folder of these changed, in milliseconds; 0 if there is none. */
function newest(paths) {
  return Math.max(
    0,
    ...paths.map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
      return Math.max(stats.mtimeMs, newest(readdirSync(path).map((name) => join(path, name))));
    }),
  );
}

function replaceFiles(built) {
  const files = filesIn(built);
  for (const file of files) {
    const [from, to] = [join(built, file), join(target, file)];
    if (
      file !== ".built" &&
      statSync(to, { throwIfNoEntry: false }) &&
      readFileSync(from).equals(readFileSync(to))
    )
      continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  for (const file of filesIn(target)) if (!files.includes(file)) rmSync(join(target, file), { force: true });
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
