import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { API_KEY } from "./start-app.js";

/** The program as `npm start` runs it once it is built. */
export const PROGRAM = fileURLToPath(new URL("../../src/main.js", import.meta.url));

/** How long a program may take to listen, or to end after a signal, in milliseconds. */
const PATIENCE = 60_000;

interface ProgramOptions {
  /** The working directory, in which the program makes files by default. */
  readonly cwd: string;
  /** The path of the program, if it is another than `PROGRAM`. */
  readonly program?: string;
  /** The command and its arguments; none by default, as `serve` needs none. */
  readonly args?: readonly string[];
  /**
   * The settings. Those of the tests' own environment do not reach the program. By default it listens on free ports, and
   * accepts `API_KEY`.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The descriptor that is the program's standard output, which the test then cannot read. */
  readonly output?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const started = new Set<Program>();

/** The status of a GET. The body is read: `fetch` keeps the connection of a large one that nobody reads. */
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

  constructor({ cwd, program = PROGRAM, args = [], env, output }: ProgramOptions) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^((PETSTORE|OTEL)_|INVOCATION_ID$)/.test(name),
    );
    const settings = { PETSTORE_PORT: "0", PETSTORE_ADMIN_PORT: "0", PETSTORE_API_KEY: API_KEY, ...env };
    this.child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: ["ignore", output ?? "pipe", "pipe"],
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

  /** The address of the admin port. */
  get admin(): string {
    return this.match(/^ +admin port +(http:\/\/\S+)$/m);
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** The sum of the metrics whose names, with their labels, begin so. */
  async metric(begin: string): Promise<number> {
    const text = await (await fetch(`${this.admin}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(begin));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  /** The status of /readyz. */
  async readiness(): Promise<number> {
    return statusOf(`${this.admin}/readyz`);
  }

  /** The API key that a first start printed. */
  get firstKey(): string {
    return this.match(/^The first API key was made\..* (petstore_\S+)$/m);
  }

  /** Resolves once the program listens and has printed its addresses. */
  async listening(): Promise<this> {
    await this.printed(/^ +storage .*\n/m);
    return this;
  }

  /** Resolves once the program has printed a text that matches. */
  async printed(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    while (!pattern.test(this.stdout)) {
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null || Date.now() > deadline) {
        const printed = (this.stdout + this.stderr).slice(-2000);
        throw new Error(`The program printed nothing like ${pattern}:\n${printed}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Sends the signal, or none if it is 0, and resolves once the program has ended. Kills a program that does not end. */
  async stop(signal: NodeJS.Signals | 0 = "SIGTERM"): Promise<Ended> {
    this.child.kill(signal);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), PATIENCE);
    const ended = await this.ended;
    clearTimeout(timer);
    return ended;
  }

  private match(pattern: RegExp): string {
    const [, text] = pattern.exec(this.stdout) ?? [];
    if (text === undefined) throw new Error(`The program printed nothing like ${pattern}:\n${this.stdout}`);
    return text;
  }
}

/** Starts the program and resolves once it listens. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  return new Program(options).listening();
}

/** Runs the program to its end, e.g. for a start that must fail. */
export function runProgram(options: ProgramOptions): Promise<Ended> {
  return new Program(options).stop(0);
}

/** Ends every started program that still runs; for an `afterEach`. */
export async function endPrograms(): Promise<void> {
  for (const program of started) {
    program.child.kill("SIGKILL");
    await program.ended;
  }
  started.clear();
}
