import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentOwner, type Owner } from "./owner.js";

const made = new Map<string, Owner | undefined>();

/** Makes an empty folder, which is removed after the test, or the suite, that asked for it. */
export function makeFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "petstore-test-"));
  made.set(path, currentOwner());
  return path;
}

/** Removes the folders that a test has made; without a test, all. */
export function removeFolders(test?: Owner): void {
  for (const [path, owner] of made) {
    if (test && owner !== test) continue;
    rmSync(path, { recursive: true, force: true });
    made.delete(path);
  }
}
