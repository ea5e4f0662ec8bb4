import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Packs petstore into a folder, unless it was packed for all spec files, and returns the path of the tarball. */
export async function packPetstore(folder: string): Promise<string> {
  const packed = process.env.PETSTORE_TEST_TARBALL;
  if (packed) return packed;
  await run("npm", ["pack", "--pack-destination", folder]);
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) as string);
}

/** Installs packages as an operator does, from tarballs. */
export async function npmInstall(cwd: string, ...args: string[]): Promise<void> {
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ...args], { cwd });
}

let shared: string | undefined;

/** Packs petstore once for all spec files: mocha calls this before it starts its workers, if this file is a --require. */
export async function mochaGlobalSetup(): Promise<void> {
  shared = mkdtempSync(join(tmpdir(), "petstore-packed-"));
  process.env.PETSTORE_TEST_TARBALL = await packPetstore(shared);
}

export function mochaGlobalTeardown(): void {
  if (shared) rmSync(shared, { recursive: true });
}
