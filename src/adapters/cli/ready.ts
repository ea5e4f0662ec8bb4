import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import type { Command } from "commander";
import { complain, JSON_OPTION, type Output, print, printJson } from "./output.js";
import type { Program } from "./program.js";

/** How long the instance may take to answer, in milliseconds: its storage may take 5 s. */
const PATIENCE = 6000;

interface Answer {
  readonly ready: boolean;
  /** Whether the instance refuses creates because its operator wants it so. */
  readonly readOnly: boolean;
  readonly message: string;
}

export function addReady(petstore: Command, program: Program): void {
  petstore
    .command("ready")
    .description("ask the admin port of a running instance whether it is ready; for health checks")
    .option(...JSON_OPTION)
    .action(async (output: Output) => {
      const answer = await ask(await program.adminAddress());
      if (!answer.ready) process.exitCode = 1;
      if (output.json) printJson(answer);
      else if (answer.ready) print(answer.message);
      else complain(`not ready: ${answer.message}`);
    });
}

async function ask(address: string): Promise<Answer> {
  try {
    // `fetch` refuses some ports, e.g. 10080.
    const request = get(`${address}/readyz`, { signal: AbortSignal.timeout(PATIENCE) });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const { ready, readOnly = false, message } = (await json(response)) as Partial<Answer>;
    if (ready === true) return { ready, readOnly, message: readOnly ? "ready, read-only" : "ready" };
    if (message !== undefined) return { ready: false, readOnly, message };
  } catch {
    // Nobody answers, or not as the admin port does.
  }
  return {
    ready: false,
    readOnly: false,
    message: `no instance answers at ${address}; start one, or correct PETSTORE_ADMIN_HOST and PETSTORE_ADMIN_PORT.`,
  };
}
