import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes an empty folder. The test removes it with `removeFolder`. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), "petstore-test-"));
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
