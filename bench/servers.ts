import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";

const KEY = "petstore_bench";
/** Processor times in /proc are in these ticks (proc(5), CLK_TCK), in microseconds. */
const TICK = 10_000;

/** One kind of request, and the status that each response must have. */
export interface Load {
  readonly path: string;
  readonly status: number;
  readonly method?: "GET" | "POST";
  readonly body?: string;
  readonly key?: string;
}

/** A server in a process of its own, without a socket; see `in-memory.ts`. */
export class MemoryServer {
  private constructor(private readonly child: ChildProcess) {}

  static async start(name: "ours" | "fastify"): Promise<MemoryServer> {
    const child = fork("dist-test/bench/in-memory.js", [name], {
      env: { ...process.env, PETSTORE_API_KEY: KEY, NODE_ENV: "production" },
      stdio: ["ignore", openSync("/dev/null", "w"), "inherit", "ipc"],
    });
    const server = new MemoryServer(child);
    await server.load({ path: "/v1/pets", status: 200 }, 64);
    return server;
  }

  /** Resolves to the processor time of `amount` requests in microseconds. */
  async load(load: Load, amount: number): Promise<number> {
    this.child.send({ load: { key: KEY, ...load }, amount });
    const [microseconds] = await once(this.child, "message");
    return microseconds;
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}

/** A server in a process of its own, whose log goes into a file. */
export class Server {
  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly origin: string,
    private readonly folder: string,
    readonly startedIn: number,
  ) {}

  static async start(name: string, program: string, settings: NodeJS.ProcessEnv): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
    const log = join(folder, "log");
    const begunAt = performance.now();
    const own = { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0", PETSTORE_API_KEY: KEY };
    const child = spawn(process.execPath, [resolve(program)], {
      cwd: folder,
      env: { ...process.env, ...own, ...settings },
      stdio: ["ignore", openSync(log, "a"), "inherit"],
    });
    while (child.exitCode === null) {
      const [, origin] = /listens on (http:\S+)/.exec(readFileSync(log, "utf8")) ?? [];
      if (origin) return new Server(name, child, origin, folder, performance.now() - begunAt);
      await sleep(5);
    }
    throw new Error(`${name} ended before it listened`);
  }

  /** Sends `amount` requests over 64 connections; resolves to the server's processor time in microseconds. */
  async load({ path, status, method = "GET", body, key = KEY }: Load, amount: number): Promise<number> {
    const before = this.processorTime();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const url = this.origin + path;
    const result = await autocannon({ url, connections: 64, amount, method, headers, ...(body && { body }) });
    const answered = Object.entries(result.statusCodeStats ?? {}).map(
      ([code, { count }]) => `${code}: ${count}`,
    );
    if (answered.join() !== `${status}: ${amount}`) throw new Error(`${this.name} answered ${answered}`);
    return this.processorTime() - before;
  }

  /** Resolves to the resident memory after some idle seconds. */
  async idleMegabytes(): Promise<number> {
    await sleep(3000);
    const [, kilobytes] =
      /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1000;
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
    rmSync(this.folder, { recursive: true });
  }

  private processorTime(): number {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  }
}
