import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import pg from "pg";

const IS_ROOT = process.getuid?.() === 0;

/** A PostgreSQL of its own, on a free port of the loopback interface, in a temporary folder. */
export class Cluster {
  private readonly folder = fs.mkdtempSync(`${tmpdir()}/petstore-postgres-`);
  private port = 0;
  private schemas = 0;

  /** Makes the cluster and starts its server, in some seconds. */
  async start(): Promise<void> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as { port: number }).port;
    server.close();
    // PostgreSQL refuses to run as root.
    if (IS_ROOT) fs.chownSync(this.folder, Number(execFileSync("id", ["-u", "postgres"])), 0);
    const data = `${this.folder}/data`;
    await tool("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale");
    const settings = `port = ${this.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`;
    fs.appendFileSync(`${data}/postgresql.conf`, settings);
    await this.up();
  }

  /** The URL of a schema that does not exist yet. */
  newUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?schema=pets_${++this.schemas}`;
  }

  up(): Promise<void> {
    return this.control("start", "-l", `${this.folder}/log`);
  }

  /** Ends every process of the server at once, so that it recovers from its log as after a crash. */
  kill(): Promise<void> {
    return this.control("stop", "-m", "immediate");
  }

  /** Lets the server stand still, or go on. Its connections stay open, as if the network lost every packet. */
  async signal(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    const [server = ""] = fs.readFileSync(`${this.folder}/data/postmaster.pid`, "utf8").split("\n");
    const processes = execFileSync("ps", ["-o", "pid=", "--pid", server, "--ppid", server], {
      encoding: "utf8",
    });
    for (const id of processes.trim().split(/\s+/)) process.kill(Number(id), signal);
  }

  async remove(): Promise<void> {
    await this.kill();
    fs.rmSync(this.folder, { recursive: true });
  }

  private control(command: string, ...options: string[]): Promise<void> {
    return tool("pg_ctl", "-D", `${this.folder}/data`, "-s", "-w", ...options, command);
  }
}

/** Runs statements in the schema of a URL, and gives the rows of the last one. */
export async function query(url: string, ...statements: string[]): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client(url);
  await client.connect();
  let { rows } = await client.query(`SET search_path TO ${new URL(url).searchParams.get("schema")}`);
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
}

/** Runs a program of PostgreSQL, which Debian keeps out of the PATH, in a folder for each version. */
async function tool(name: string, ...args: string[]): Promise<void> {
  const home = "/usr/lib/postgresql";
  const newest = fs.existsSync(home) && fs.readdirSync(home).sort((a, b) => Number(b) - Number(a))[0];
  const command = [newest ? `${home}/${newest}/bin/${name}` : name, ...args];
  const [program = "", ...rest] = IS_ROOT ? ["runuser", "-u", "postgres", "--", ...command] : command;
  // A server that pg_ctl starts would keep a pipe open.
  const child = spawn(program, rest, { cwd: tmpdir(), stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}
