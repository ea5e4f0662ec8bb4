import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Injection } from "./inside.js";
import { API_KEY, OPERATIONS, type Operation, type Request, SEED } from "./operations.js";

export interface ServerKind {
  readonly name: string;
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** This service, as `npm run build` made it in the folder `repository`. */
export function petstore(name: string, environment = {}, repository = REPOSITORY): ServerKind {
  const usual = { PETSTORE_STORAGE: "memory:", PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0" };
  return {
    name,
    script: join(repository, "dist/src/main.js"),
    environment: { ...usual, PETSTORE_API_KEY: API_KEY, ...environment },
  };
}

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const INSIDE = fileURLToPath(new URL("inside.js", import.meta.url));

/** The resources that a process has used so far. */
export interface Usage {
  /** Processor time of all its threads, in microseconds. */
  readonly cpu: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
}

/** A server that runs and listens, in a folder of its own; a file there takes its log. */
export class RunningServer {
  private constructor(
    readonly kind: ServerKind,
    readonly url: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(kind: ServerKind): Promise<RunningServer> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
    const file = join(folder, "output");
    const output = openSync(file, "w");
    const child = spawn(process.execPath, ["--import", INSIDE, kind.script], {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_ENV: "production", BENCH_API_KEY: API_KEY, ...kind.environment },
      stdio: ["ignore", output, output, "ipc"],
    });
    for (let waited = 0; waited < 10_000; waited += 2) {
      const text = readFileSync(file, "utf8");
      const [, url] = /listens on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(text) ?? [];
      if (url) return new RunningServer(kind, url, folder, child);
      if (child.exitCode !== null) throw new Error(`${kind.name} ended: ${text}`);
      await sleep(2);
    }
    child.kill();
    throw new Error(`${kind.name} did not start.`);
  }

  /** Fills the empty server, and refuses it unless it answers each operation as the contract says. */
  async prepare(): Promise<void> {
    for (const request of SEED) await this.ask(request);
    for (const { name, status, requests, body } of OPERATIONS) {
      const answer = await this.ask(requests[0] as Request);
      const found = await answer.json();
      assert.equal(answer.status, status, `${this.kind.name}, ${name}: ${JSON.stringify(found)}`);
      if (body) assert.deepEqual(found, body, `${this.kind.name}, ${name}`);
    }
  }

  ask({ path, ...rest }: Request): Promise<Response> {
    return fetch(this.url + path, rest);
  }

  async usage(): Promise<Usage> {
    return (await this.askInside("usage")) as Usage;
  }

  /**
   * Sends requests from within the server's process: no socket, and no other process, has a part in what they take.
   *
   * @param rounds how often each of 64 connections sends one
   * @returns the processor time of a request, in microseconds
   * @throws Error if an answer's status is not the operation's
   */
  async inject({ name, requests, status }: Operation, rounds: number): Promise<number> {
    const answer = await this.askInside({ requests: requests.map(textOf), rounds, status });
    if (typeof answer !== "number") throw new Error(`${this.kind.name}, ${name}: ${answer}`);
    return answer;
  }

  private async askInside(question: "usage" | Injection): Promise<unknown> {
    this.process.send(question);
    const [answer] = await once(this.process, "message");
    return answer;
  }

  async stop(): Promise<void> {
    this.process.disconnect();
    if (this.process.exitCode === null) await once(this.process, "exit");
    rmSync(this.folder, { recursive: true });
  }
}

/** A request as the bytes of HTTP/1.1. */
function textOf({ method, path, headers, body = "" }: Request): string {
  const all = { Host: "127.0.0.1", ...headers, ...(body && { "Content-Length": `${body.length}` }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
