import { execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);

/** A PostgreSQL of its own, on a free port of the loopback interface, in a temporary folder. */
export class Cluster {
  private schemas = 0;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** Makes a cluster and starts its server, in some seconds. */
  static async start(): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-postgres-"));
    if (process.getuid?.() === 0) chownSync(folder, ...(await idsOfPostgres()));
    chmodSync(folder, 0o700);
    const cluster = new Cluster(folder, await freePort());
    await tool("initdb", "-D", cluster.data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale");
    const settings = `port = ${cluster.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n`;
    appendFileSync(join(cluster.data, "postgresql.conf"), settings);
    await cluster.up();
    return cluster;
  }

  /** Starts the server and resolves once it answers. */
  async up(): Promise<void> {
    await tool("pg_ctl", ...this.start).catch((error: Error) => {
      throw new Error(`${error.message}:\n${readFileSync(this.log, "utf8").slice(-2000)}`);
    });
  }

  /** Kills the server and every process of it, as a power cut would. */
  async kill(): Promise<void> {
    const killed = await this.signal("SIGKILL");
    const isLeft = ({ id, state }: Process) => killed.includes(id) && !state.startsWith("Z");
    while ((await processes()).some(isLeft)) await new Promise((resolve) => setTimeout(resolve, 10));
    // The file names a process that a container without an init may keep as a zombie, which PostgreSQL takes for a server.
    rmSync(this.pidFile);
  }

  /** Stops the server from answering while its connections stay open, as if the network lost every packet. */
  async freeze(): Promise<void> {
    await this.signal("SIGSTOP");
  }

  async thaw(): Promise<void> {
    await this.signal("SIGCONT");
  }

  /** Ends the server and removes what it kept. */
  async remove(): Promise<void> {
    if (existsSync(this.pidFile)) {
      await this.thaw();
      await tool("pg_ctl", "-D", this.data, "-m", "immediate", "-w", "stop").catch(() => undefined);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The URL of a schema that does not exist yet. A database for each would make 300 files each time. */
  newUrl(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres?schema=pets_${++this.schemas}`;
  }

  private get start(): string[] {
    return ["-D", this.data, "-l", this.log, "-s", "-w", "-t", "30", "start"];
  }

  private get log(): string {
    return join(this.folder, "log");
  }

  private get data(): string {
    return join(this.folder, "data");
  }

  private get pidFile(): string {
    return join(this.data, "postmaster.pid");
  }

  /** Signals the server's process, then those that it started. */
  private async signal(signal: NodeJS.Signals): Promise<number[]> {
    const server = Number.parseInt(readFileSync(this.pidFile, "utf8"), 10);
    const started = (await processes()).filter(({ parent }) => parent === server);
    const ids = [server, ...started.map(({ id }) => id)];
    for (const id of ids) {
      try {
        process.kill(id, signal);
      } catch {
        // The process has ended by itself meanwhile.
      }
    }
    return ids;
  }
}

/** Lends a connection of its own to the schema of a URL. */
export async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`SET search_path TO ${new URL(url).searchParams.get("schema")}`);
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Runs a program of PostgreSQL. */
async function tool(name: string, ...args: string[]): Promise<void> {
  const [program = "", ...rest] = commandOf(name, ...args);
  // To a file, if anywhere: a server that pg_ctl starts would keep a pipe open.
  const child = spawn(program, rest, { cwd: tmpdir(), stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

/** As PostgreSQL's own user if this is root, under which it refuses to run. */
function commandOf(name: string, ...args: string[]): string[] {
  const folder = binaries();
  const command = [folder ? join(folder, name) : name, ...args];
  return process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
}

/** The folder of PostgreSQL's programs: Debian keeps them out of the PATH, in a folder for each version. */
function binaries(): string | undefined {
  const home = "/usr/lib/postgresql";
  if (!existsSync(home)) return undefined;
  const newest = readdirSync(home).sort((a, b) => Number(b) - Number(a))[0];
  return newest && join(home, newest, "bin");
}

async function idsOfPostgres(): Promise<[number, number]> {
  const id = async (option: string) => Number((await run("id", [option, "postgres"])).stdout);
  return [await id("-u"), await id("-g")];
}

/** A port that nobody uses. The system picks none of this range for others, so it stays free until the server starts. */
async function freePort(): Promise<number> {
  const port = randomInt(10_000, 27_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  server.close();
  return port;
}

interface Process {
  readonly id: number;
  readonly parent: number;
  /** Begins with Z if it has ended and nobody has asked for its code yet. */
  readonly state: string;
}

async function processes(): Promise<Process[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,state="]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [id, parent, state = ""] = line.trim().split(/\s+/);
      return { id: Number(id), parent: Number(parent), state };
    });
}
