import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "petstore-tests-"));
// Other users, such as that of PostgreSQL, reach their own folders in it.
chmodSync(root, 0o755);
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

/** Makes an empty folder, which goes when the process ends. */
export function makeFolder(): string {
  return mkdtempSync(join(root, "test-"));
}
