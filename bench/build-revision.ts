import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { git } from "./report.js";
import { REPOSITORY } from "./server.js";

/**
 * Runs `use` with a folder in which this commit is built, a worktree that goes afterwards. A folder in which somebody has
 * built another version is used as it is.
 */
export async function withRevision<T>(revision: string, use: (folder: string) => Promise<T>): Promise<T> {
  if (existsSync(join(revision, "dist/src/main.js"))) return use(resolve(revision));
  const folder = mkdtempSync(join(tmpdir(), "petstore-revision-"));
  try {
    git("worktree", "add", "--force", "--detach", folder, revision);
    build(folder);
    return await use(folder);
  } finally {
    git("worktree", "remove", "--force", folder);
  }
}

function build(folder: string): void {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const lock = (path: string) => git("hash-object", join(path, "package-lock.json"));
  if (lock(folder) === lock(REPOSITORY))
    symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  else run("npm", "ci", "--no-audit", "--no-fund");
  run("npm", "run", "--silent", "build");
}
