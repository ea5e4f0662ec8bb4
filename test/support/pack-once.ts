import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packPetstore } from "./pack.js";

let folder: string;

/** Packs petstore for all spec files. Mocha calls this before it starts the processes for them. */
export async function mochaGlobalSetup(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "petstore-packed-"));
  process.env.PETSTORE_TEST_TARBALL = await packPetstore(folder);
}

export function mochaGlobalTeardown(): void {
  rmSync(folder, { recursive: true });
}
