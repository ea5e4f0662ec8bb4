import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onAnyCore, onServerCore } from "./cores.js";
import { API_KEY } from "./operations.js";

/** The folder of the benchmarks. */
export const BENCH = fileURLToPath(new URL("../..", import.meta.url));

/** The exact versions that `bench/package.json` pins, by package. */
const versions: Record<string, string> = JSON.parse(
  readFileSync(join(BENCH, "package.json"), "utf8"),
).dependencies;

export interface ServerKind {
  readonly name: string;
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeArguments?: readonly string[];
}

function peer(name: string, file: string): ServerKind {
  return { name, script: join(BENCH, "dist/peers", file), environment: {} };
}

/** This service, as `npm run build` made it here or elsewhere; its request log goes to a file. */
export function petstore(
  name: string,
  environment: ServerKind["environment"],
  script = join(BENCH, "../dist/src/main.js"),
): ServerKind {
  const defaults = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0" };
  return {
    name,
    script,
    environment: { ...defaults, PETSTORE_API_KEY: API_KEY, ...environment },
  };
}

export const PETSTORE = petstore("Petstore", {});
export const PETSTORE_LOG_OFF = petstore("Petstore, request log off", { PETSTORE_LOG_LEVEL: "silent" });
export const FASTIFY = peer(`Fastify ${versions.fastify}`, "fastify.js");
const CONSTANT = peer("node:http, a constant", "constant.js");

export const PEERS: readonly ServerKind[] = [
  FASTIFY,
  peer("node:http by hand", "node-http.js"),
  peer(`Hono ${versions.hono}`, "hono.js"),
  peer(`NestJS ${versions["@nestjs/core"]} on Fastify`, "nestjs.js"),
  peer(`Koa ${versions.koa}, the obvious way`, "koa.js"),
  peer(`Express ${versions.express}`, "express.js"),
  CONSTANT,
];

/** The resources that a process has used so far. */
export interface Usage {
  /** Processor time of all its threads, in microseconds. */
  readonly cpu: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
}

/** A server that runs and listens, in a folder of its own. */
export class RunningServer {
  private constructor(
    readonly kind: ServerKind,
    readonly port: number,
    readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(
    kind: ServerKind,
    place: "server core" | "any core" = "server core",
  ): Promise<RunningServer> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
    const output = openSync(join(folder, "output"), "w");
    const usage = fileURLToPath(new URL("report-usage.js", import.meta.url));
    const nodeArguments = [...(kind.nodeArguments ?? []), "--import", usage, kind.script];
    const [command, ...rest] =
      place === "server core" ? onServerCore(...nodeArguments) : onAnyCore(...nodeArguments);
    const child = spawn(command, rest, {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_ENV: "production", BENCH_API_KEY: API_KEY, ...kind.environment },
      stdio: ["ignore", output, output, "ipc"],
    });
    for (let waited = 0; waited < 10_000; waited += 2) {
      const text = readFileSync(join(folder, "output"), "utf8");
      const [, port] = /listens on http:\/\/127\.0\.0\.1:(\d+)\n/.exec(text) ?? [];
      if (port) return new RunningServer(kind, Number(port), folder, child);
      if (child.exitCode !== null) throw new Error(`${kind.name} ended: ${text}`);
      await sleep(2);
    }
    child.kill();
    throw new Error(`${kind.name} did not start.`);
  }

  get pid(): number {
    return this.process.pid as number;
  }

  async usage(): Promise<Usage> {
    this.process.send("usage");
    const [usage] = await once(this.process, "message");
    return usage;
  }

  async stop(): Promise<void> {
    this.process.disconnect();
    await once(this.process, "exit");
    rmSync(this.folder, { recursive: true });
  }
}
