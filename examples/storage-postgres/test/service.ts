import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const KEY = "petstore_test-key";

/** How long the program may take to listen, in milliseconds. */
const PATIENCE = 20_000;

/** The service as an operator runs it, with this storage loaded. */
export class Service {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    private readonly origin: string,
    readonly admin: string,
    /** All that it has printed on standard output: the lines of the start, and its log. */
    readonly printed: () => string,
  ) {}

  static async start(storage: string, settings: Record<string, string> = {}): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), "petstore-service-"));
    const child = spawn(process.execPath, [programOfPetstore(), "serve"], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        PETSTORE_STORAGE_ADAPTERS: fileURLToPath(import.meta.resolve("../src/storage.js")),
        PETSTORE_STORAGE: storage,
        PETSTORE_API_KEY: KEY,
        PETSTORE_PORT: "0",
        PETSTORE_ADMIN_PORT: "0",
        ...settings,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
    });
    let complained = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      complained += text;
    });
    const addresses = /listens on (\S+).* admin port +(\S+).* storage /s;
    for (const begun = Date.now(); !addresses.test(printed); ) {
      if (child.exitCode !== null || Date.now() - begun > PATIENCE) {
        child.kill("SIGKILL");
        throw new Error(`The service did not start:\n${printed}${complained}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [, origin = "", admin = ""] = addresses.exec(printed) ?? [];
    return new Service(child, folder, origin, admin, () => printed);
  }

  /** Sends a request with the key; an answer has its text, and how long it took in milliseconds. */
  async ask(path: string, init: RequestInit = {}): Promise<{ status: number; text: string; took: number }> {
    const begun = performance.now();
    const headers = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", ...init.headers };
    const response = await fetch(this.origin + path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, text, took: performance.now() - begun };
  }

  create(body: object, idempotencyKey?: string): ReturnType<Service["ask"]> {
    const headers: Record<string, string> = idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {};
    return this.ask("/v1/pets", { method: "POST", body: JSON.stringify(body), headers });
  }

  get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  async stop(): Promise<void> {
    if (this.running) {
      this.process.kill("SIGTERM");
      await once(this.process, "close");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function programOfPetstore(): string {
  const description = createRequire(import.meta.url).resolve("petstore/package.json");
  return join(dirname(description), "dist/src/main.js");
}
