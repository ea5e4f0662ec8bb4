import { execFile } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { leaveOut } from "./left-out.js";
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

/** A PostgreSQL that the tests of the example start. */
interface Cluster {
  newUrl(): string;
  remove(): Promise<void>;
}

export interface PostgresExample {
  readonly path: string;
  /** The path of the built adapter. */
  readonly adapter: string;
  readonly cluster: Cluster;
}

/** Installs and builds the example of a storage on PostgreSQL, and starts a PostgreSQL; undefined if none is installed. */
export async function startPostgresExample(folder: string, tarball: string) {
  if (!existsSync("/usr/lib/postgresql") && !process.env.CI) {
    leaveOut("storages on PostgreSQL", "install postgresql");
    return undefined;
  }
  const path = await installExample("storage-postgres", folder, tarball);
  await run("npm", ["run", "--silent", "build"], { cwd: path });
  const { Cluster } = await import(join(path, "dist/test/cluster.js"));
  return { path, adapter: join(path, "dist/src/storage.js"), cluster: await Cluster.start() };
}
