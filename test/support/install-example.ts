import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { npmInstall } from "./pack.js";

const run = promisify(execFile);

/**
 * Copies an example out of this repository, where it cannot reach `src`, and installs it as its README says.
 *
 * @param tarball of petstore
 * @returns the path of the example, below `folder`
 */
export async function installExample(name: string, folder: string, tarball: string): Promise<string> {
  const copy = join(folder, name);
  const own = (path: string) => !["node_modules", "dist"].includes(basename(path));
  cpSync(join("examples", name), copy, { recursive: true, filter: own });
  await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: copy });
  await npmInstall(copy, "--no-save", "--save-dev", tarball);
  return copy;
}
