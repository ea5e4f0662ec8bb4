import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { until } from "./eventually.js";
import { API_KEY } from "./start-app.js";

/** The program as `npm start` runs it once it is built. */
const PROGRAM = fileURLToPath(new URL("../../src/main.js", import.meta.url));

interface ProgramOptions {
  /** The working directory, in which the program creates files by default. */
  readonly cwd: string;
  /** The path of the program, `PROGRAM` by default. */
  readonly program?: string;
  /** The command and its arguments; none by default, as `serve` needs none. */
  readonly args?: readonly string[];
  /** The settings. By default the program listens on free ports, and accepts `API_KEY`. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program, e.g. `sh -c 'exec "$@" >/dev/full' sh`. */
  readonly through?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const started = new Set<Program>();

/** Resolves to the status of a GET. It reads the body, since `fetch` keeps the connection of a large unread one. */
export async function statusOf(address: string): Promise<number> {
  const answer = await fetch(address);
  await answer.arrayBuffer();
  return answer.status;
}

/** A started program. `endPrograms` ends it if it still runs. */
export class Program {
  stdout = "";
  stderr = "";
  readonly child: ChildProcess;
  /** Resolves once the program has ended and all of its output is read. */
  readonly ended: Promise<Ended>;

  constructor({ cwd, program = PROGRAM, args = [], env, through = [] }: ProgramOptions) {
    // The settings of the tests' own environment do not reach the program.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^PETSTORE_|^INVOCATION_ID$/.test(name),
    );
    const settings = { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0", PETSTORE_API_KEY: API_KEY, ...env };
    const [file = "", ...rest] = [...through, process.execPath, program, ...args];
    this.child = spawn(file, rest, {
      cwd,
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.add(this);
    this.child.stdout?.setEncoding("utf8").on("data", (text) => (this.stdout += text));
    this.child.stderr?.setEncoding("utf8").on("data", (text) => (this.stderr += text));
    this.ended = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** The address that the program printed once it listened, e.g. `http://127.0.0.1:49152`. */
  get origin(): string {
    return this.match(/^petstore listens on (http:\/\/\S+)$/m);
  }

  get admin(): string {
    return this.match(/^ +admin port +(http:\/\/\S+)$/m);
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  get firstKey(): string {
    return this.match(/^Created the first API key; .* (petstore_\S+)$/m);
  }

  /** Resolves once the output of the program matches. */
  async printed(pattern: RegExp): Promise<void> {
    const { child } = this;
    await until(() => pattern.test(this.stdout) || child.exitCode !== null || child.signalCode !== null);
    this.match(pattern);
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  private match(pattern: RegExp): string {
    const found = pattern.exec(this.stdout);
    if (!found) throw new Error(`The program printed nothing like ${pattern}:\n${this.stdout}${this.stderr}`);
    return found[1] ?? "";
  }
}

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const program = new Program(options);
  await program.printed(/^ +storage .*\n/m);
  return program;
}

/** Runs the program to its end, e.g. for a start that must fail. */
export function runProgram(options: ProgramOptions): Promise<Ended> {
  return new Program(options).ended;
}

/** Ends every started program that still runs; for an `afterEach`. */
export async function endPrograms(): Promise<void> {
  for (const program of started) {
    program.child.kill("SIGKILL");
    await program.ended;
  }
  started.clear();
}
