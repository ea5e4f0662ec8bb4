import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, readdirSync, readFileSync, type WriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/support/free-port.js";

/** The program as it was built with this run. */
const PROGRAM = fileURLToPath(new URL("../src/main.js", import.meta.url));

export const API_KEY = "petstore_endurance-key-0123456789abcdef";

/** How long a start and a stop may take, in milliseconds. */
const START = 10_000;
const STOP = 20_000;

/** How long an ended program waits for its next start, in milliseconds. */
const PAUSE = 100;

/** The resources that a process uses. */
export interface Usage {
  readonly pid: number;
  /** Resident memory, in MiB. */
  readonly memory: number;
  readonly descriptors: number;
  readonly threads: number;
}

/**
 * The built program, on ports that it keeps over its restarts. Whenever it ends it starts again, as under a service manager,
 * unless `stop` or `kill` has ended it.
 */
export class Service {
  private child: ChildProcess | undefined;
  private wanted = false;
  private readonly log: WriteStream;
  /** What the program has printed since its start, up to its addresses. */
  private printed = "";
  /** The API key that the first of all starts has made. */
  firstKey = "";
  starts = 0;

  private constructor(
    /** The program's working directory; its log goes to `log` in it. */
    readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
    readonly port: number,
    private readonly adminPort: number,
    /** The programs that take turns, a start each. */
    private readonly programs: readonly string[],
  ) {
    this.log = createWriteStream(join(folder, "log"));
  }

  /** @param also the folder of another built version, which takes turns with this one at each start */
  static async create(
    folder: string,
    env: Readonly<Record<string, string>>,
    also: string | undefined,
  ): Promise<Service> {
    const programs = also === undefined ? [PROGRAM] : [PROGRAM, resolve(also, "dist/src/main.js")];
    return new Service(folder, env, await freePort(), await freePort(), programs);
  }

  private get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  private get listens(): boolean {
    return this.pid !== undefined && /^ +storage .*\n/m.test(this.printed);
  }

  /**
   * Starts the program; resolves once it has said that it listens.
   *
   * @param isHindered whether its time does not count yet, because its storage is away
   */
  async start(isHindered = () => false): Promise<void> {
    this.wanted = true;
    if (this.pid === undefined) this.spawn();
    for (let deadline = performance.now() + START; !this.listens; await sleep(50)) {
      if (isHindered()) deadline = performance.now() + START;
      if (performance.now() > deadline) throw new Error(`the program does not listen after ${START} ms`);
    }
    this.firstKey ||= /^The first API key was made\..* (petstore_\S+)$/m.exec(this.printed)?.[1] ?? "";
  }

  /** Kills the program as a crash would. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.end("SIGTERM");
    const { exitCode, signalCode } = this.child ?? {};
    // Exit code 1 says that the program had to cut requests that clients never finish.
    if (exitCode !== 0 && exitCode !== 1)
      throw new Error(`SIGTERM ended the program with ${exitCode ?? signalCode}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Waits until /readyz is 200. */
  async ready(patience: number): Promise<void> {
    for (
      const deadline = performance.now() + patience;
      (await this.ask("/readyz")) !== 200;
      await sleep(50)
    ) {
      if (performance.now() > deadline) throw new Error(`/readyz is not 200 after ${patience} ms`);
    }
  }

  /** Undefined if the program does not run. */
  usage(): Usage | undefined {
    const { pid } = this;
    if (pid === undefined) return undefined;
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      return { pid, memory: field("VmRSS") / 1024, descriptors, threads: field("Threads") };
    } catch {
      // The process has ended meanwhile.
      return undefined;
    }
  }

  /** Ends everything, in whatever state it is. */
  close(): void {
    this.wanted = false;
    this.signal("SIGKILL");
    this.log.end();
  }

  private spawn(): void {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("PETSTORE_"));
    const program = this.programs[this.starts % this.programs.length] as string;
    this.starts += 1;
    this.log.write(`${program}\n`);
    this.printed = "";
    this.child = spawn(process.execPath, [program], {
      cwd: this.folder,
      env: {
        ...Object.fromEntries(inherited),
        PETSTORE_PORT: String(this.port),
        PETSTORE_ADMIN_PORT: String(this.adminPort),
        PETSTORE_API_KEY: API_KEY,
        ...this.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.pipe(this.log, { end: false });
    this.child.stdout?.on("data", (text) => {
      if (!this.listens) this.printed += text;
    });
    this.child.once("exit", (code, signal) => {
      this.log.write(`The program ended (${signal ?? code}).\n`);
      if (this.wanted) setTimeout(() => this.wanted && this.spawn(), PAUSE);
    });
  }

  /** The status of a path of the admin port; undefined if it does not answer. */
  async ask(path: string): Promise<number | undefined> {
    try {
      const signal = AbortSignal.timeout(5000);
      const response = await fetch(`http://127.0.0.1:${this.adminPort}${path}`, { signal });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return undefined;
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.wanted = false;
    this.signal(signal);
    for (const deadline = performance.now() + STOP; this.pid !== undefined; await sleep(20)) {
      if (performance.now() < deadline) continue;
      this.signal("SIGKILL");
      throw new Error(`the program still runs ${STOP} ms after ${signal}`);
    }
  }
}
