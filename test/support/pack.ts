import { exec } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Packs petstore into a folder, unless it was packed for all spec files, and returns the path of the tarball. */
export async function packPetstore(folder: string): Promise<string> {
  const packed = process.env.PETSTORE_TEST_TARBALL;
  if (packed) return packed;
  const env = { ...process.env, npm_config_ignore_scripts: "true" };
  // Builds as the documents do: npm runs no `prepack` where `ignore-scripts` is set.
  await promisify(exec)(`npm run build && npm pack --pack-destination "${folder}"`, { env });
  return join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) as string);
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
