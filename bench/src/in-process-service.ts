import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onAnyCore } from "./cores.js";
import { API_KEY, type OperationName } from "./operations.js";

/** A service that runs `in-process.ts`, and is asked in batches. */
export class InProcessService {
  private constructor(
    private readonly process: ChildProcess,
    private readonly log: string,
  ) {}

  /** @param folder for its keys, data and log */
  static async start(
    name: string,
    folder: string,
    environment: Readonly<Record<string, string>>,
    ...nodeArguments: string[]
  ): Promise<InProcessService> {
    const log = join(folder, `${name}.log`);
    const script = fileURLToPath(new URL("./in-process.js", import.meta.url));
    const [command, ...rest] = onAnyCore(...nodeArguments, script);
    const { PATH } = process.env;
    const fixed = { PATH, NODE_ENV: "production", PETSTORE_API_KEY: API_KEY, PETSTORE_STORAGE: "memory:" };
    const child = spawn(command, rest, {
      cwd: folder,
      env: { ...fixed, ...environment },
      stdio: ["ignore", openSync(log, "w"), "inherit", "ipc"],
    });
    child.once("exit", (code) => code && process.exit(code));
    if ((await once(child, "message"))[0] !== "ready") throw new Error(`${name} did not start.`);
    return new InProcessService(child, log);
  }

  /** The standard output of the service. */
  output(): string {
    return readFileSync(this.log, "utf8");
  }

  /** The least processor time per request of so many batches, in microseconds. */
  async least(operation: OperationName, batches: number): Promise<number> {
    this.process.send({ name: operation, batches });
    return (await once(this.process, "message"))[0];
  }

  stop(): void {
    this.process.disconnect();
  }
}

const TURNS = 8;
const BATCHES = 3;

/**
 * Lets services take turns of a few batches; answers the least of each, in microseconds: what else a machine does only
 * ever adds to processor time.
 */
export async function takeTurns(
  services: readonly InProcessService[],
  operation: OperationName,
  turns = TURNS,
): Promise<number[]> {
  for (const service of services) await service.least(operation, 2 * BATCHES);
  const found = services.map(() => Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, service] of services.entries())
      found[index] = Math.min(found[index] as number, await service.least(operation, BATCHES));
  }
  return found;
}
