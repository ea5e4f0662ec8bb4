import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROGRAM } from "../../test/support/start-program.js";
import { freePort } from "./free-port.js";
import { childrenOf, isRunning } from "./processes.js";

/** How long the program may take to listen, in milliseconds: on a loaded machine, and if it must recover first. */
const START_PATIENCE = 30_000;

/** How long a stop may take, in milliseconds: for requests, the storage, timers that are left, and a loaded machine. */
const STOP_PATIENCE = 10_000 + 5000 + 5000 + 10_000;

/** How long workers may outlive their primary process, in milliseconds. */
const ORPHAN_PATIENCE = 15_000;

export interface ServiceOptions {
  readonly storage: string;
  readonly workers: number;
  readonly apiKey: string;
  /** The working directory. The log goes to `log` in it. */
  readonly folder: string;
  /** More environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The service as it is built, on ports that it keeps over its restarts. */
export class Service {
  private child: ChildProcess | undefined;
  private readonly log: WriteStream;
  starts = 0;
  /** Whether it has started, and nobody has told it to end. */
  isUp = false;

  private constructor(
    private readonly options: ServiceOptions,
    readonly port: number,
    readonly adminPort: number,
  ) {
    this.log = createWriteStream(join(options.folder, "log"), { flags: "a" });
  }

  static async create(options: ServiceOptions): Promise<Service> {
    return new Service(options, await freePort(), await freePort());
  }

  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** The process ids of the service: the primary and its workers, if it has any. */
  get pids(): number[] {
    return this.pid === undefined ? [] : [this.pid, ...childrenOf(this.pid)];
  }

  get folder(): string {
    return this.options.folder;
  }

  /** The environment for commands like `petstore keys`. */
  get settings(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PETSTORE|OTEL)_/.test(name));
    return {
      ...Object.fromEntries(inherited),
      ...ownSettings(this.options.env),
      PETSTORE_STORAGE: this.options.storage,
      PETSTORE_KEYS_FILE: join(this.options.folder, "keys.json"),
    };
  }

  /** Starts the program; resolves once it answers. @throws Error if it does not. */
  async start(): Promise<void> {
    const { folder, workers, apiKey, env } = this.options;
    this.starts += 1;
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: folder,
      env: {
        ...this.settings,
        PETSTORE_PORT: `${this.port}`,
        PETSTORE_ADMIN_PORT: `${this.adminPort}`,
        PETSTORE_WORKERS: `${workers}`,
        PETSTORE_API_KEY: apiKey,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    this.readLog();
    child.stderr.on("data", (bytes) => this.log.write(bytes));
    for (const deadline = performance.now() + START_PATIENCE; ; await sleep(50)) {
      if (this.pid === undefined) throw new Error(`the program ended while it started, with ${endOf(child)}`);
      if ((await this.ask("/livez")) === 200) {
        this.isUp = true;
        return;
      }
      if (performance.now() > deadline)
        throw new Error(`the program did not listen within ${START_PATIENCE} ms`);
    }
  }

  /** The status of a path of the admin port; undefined if it does not answer. */
  async ask(path: string): Promise<number | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.adminPort}${path}`, {
        signal: AbortSignal.timeout(10_000),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return undefined;
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Kills the program as a crash would. @throws Error if its workers do not end by themselves. */
  async kill(): Promise<void> {
    const { pids } = this;
    this.isUp = false;
    this.signal("SIGKILL");
    await this.ended(ORPHAN_PATIENCE, pids);
  }

  /** Stops the program in order. @throws Error if it takes too long, or ends in another way. */
  async stop({ mayKillItself = false } = {}): Promise<void> {
    const { pids, child } = this;
    if (!child || pids.length === 0) return;
    this.isUp = false;
    this.signal("SIGTERM");
    await this.ended(STOP_PATIENCE, pids);
    // Exit code 1 says that the program had to cut requests in flight, such as those that clients never finish.
    const expected =
      child.exitCode === 0 || child.exitCode === 1 || (mayKillItself && child.signalCode === "SIGKILL");
    if (!expected) throw new Error(`SIGTERM ended the program with ${endOf(child)}`);
  }

  /** Leaves the log unread from now on. */
  leaveLog(): void {
    this.child?.stdout?.removeAllListeners("data").pause();
  }

  readLog(): void {
    this.child?.stdout
      ?.removeAllListeners("data")
      .on("data", (bytes) => this.log.write(bytes))
      .resume();
  }

  /** Ends everything, in whatever state it is. */
  close(): void {
    for (const pid of this.pids) process.kill(pid, "SIGKILL");
    this.log.end();
  }

  private async ended(patience: number, pids: readonly number[]): Promise<void> {
    const deadline = performance.now() + patience;
    while (this.pid !== undefined || pids.some(isRunning)) {
      await sleep(20);
      if (performance.now() < deadline) continue;
      for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
      throw new Error(`processes of the program still run after ${patience} ms`);
    }
  }
}

/** Only settings of Petstore: the other variables make the disk of the service faulty, not that of commands. */
function ownSettings(env: ServiceOptions["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("PETSTORE_")));
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `exit code ${exitCode}`;
}
