import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import pg from "pg";

// Lets the contract run every case on this storage: `petstore conformance URL --with dist/src/outage.js`. PGDATA is the
// data folder of a server that may be killed. To test another server, replace the commands.

const IS_ROOT = process.getuid?.() === 0;

export const outage = {
  /** Kills every process of the server at once, so that `up` recovers from its log as after a crash. */
  down: () => control("stop", "-m", "immediate"),
  up: () => control("start", "-l", `${data()}/log`),
};

/** Freezes the server. Its connections stay open, as if the network lost every packet. */
export const pause = { down: () => signal("SIGSTOP"), up: () => signal("SIGCONT") };

export async function deletePet(url: string, id: bigint): Promise<void> {
  await query(url, `DELETE FROM pets WHERE id = ${id}`);
}

export async function drop(url: string): Promise<void> {
  await query(url, `DROP SCHEMA IF EXISTS ${schemaOf(url)} CASCADE`);
}

/** Runs statements in the schema of a URL, and returns the rows of the last one. */
export async function query(url: string, ...statements: string[]): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let { rows } = await client.query(`SET search_path TO ${schemaOf(url)}`);
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** Runs a program of PostgreSQL, which Debian keeps out of the PATH, in a folder for each version. */
export async function run(name: string, ...args: string[]): Promise<void> {
  const home = "/usr/lib/postgresql";
  const [newest] = fs.existsSync(home) ? fs.readdirSync(home).sort((a, b) => Number(b) - Number(a)) : [];
  const command = [newest ? `${home}/${newest}/bin/${name}` : name, ...args];
  // PostgreSQL refuses to run as root.
  const [program = "", ...rest] = IS_ROOT ? ["runuser", "-u", "postgres", "--", ...command] : command;
  // The server that pg_ctl starts would inherit a pipe and keep it open.
  const child = spawn(program, rest, { cwd: tmpdir(), stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

function control(command: string, ...options: string[]): Promise<void> {
  return run("pg_ctl", "-D", data(), "-s", "-w", ...options, command);
}

async function signal(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const [server = ""] = fs.readFileSync(`${data()}/postmaster.pid`, "utf8").split("\n");
  const ids = execFileSync("ps", ["-o", "pid=", "--pid", server, "--ppid", server], { encoding: "utf8" });
  for (const id of ids.trim().split(/\s+/)) process.kill(Number(id), name);
}

function data(): string {
  if (!process.env.PGDATA) throw new Error("Set PGDATA to the data folder of a server that may be killed.");
  return process.env.PGDATA;
}

function schemaOf(url: string): string {
  return new URL(url).searchParams.get("schema") ?? "public";
}
