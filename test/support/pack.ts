import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { cp } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The files that npm packs beside the program, and the program as it was built with these tests. */
const PARTS = [
  "package.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "deploy",
  "docs",
  "bench",
  "endurance",
  "examples",
];
const PROGRAM = join(import.meta.dirname, "../../src");

/** Packs this package with its dependencies into a folder, and gives the path of the tarball. Takes one that is packed already. */
export async function packPetstore(folder: string): Promise<string> {
  const packed = process.env.PETSTORE_TEST_TARBALL;
  if (packed) {
    copyFileSync(packed, join(folder, basename(packed)));
    return join(folder, basename(packed));
  }
  // In another folder: a build in this one would replace files that other tests use.
  const stage = join(folder, "stage");
  mkdirSync(stage);
  for (const part of PARTS) cpSync(part, join(stage, part), { recursive: true });
  cpSync(PROGRAM, join(stage, "dist/src"), { recursive: true });
  // npm follows a link to a folder, and then puts what a dependency has beneath itself outside of the package.
  await cp("node_modules", join(stage, "node_modules"), { recursive: true, verbatimSymlinks: true });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: stage });
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) as string);
}

/** Installs packages as an operator does, from tarballs. */
export async function npmInstall(cwd: string, ...args: string[]): Promise<void> {
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ...args], { cwd });
}
