import { print, printJson } from "./output.js";

/** How long the instance may take to answer, in milliseconds: its storage may take 5 s. */
const PATIENCE = 6000;

interface Answer {
  readonly ready: boolean;
  /** Whether the instance refuses creates because its operator wants it so. */
  readonly readOnly: boolean;
  readonly message: string;
}

/**
 * Asks the admin port at `address`, prints its answer, and returns whether the instance is ready. `main.ts` takes the
 * address from the settings.
 */
export async function showReadiness(address: string, { json }: { json?: true }): Promise<boolean> {
  const answer = await ask(address);
  if (json) printJson(answer);
  else if (answer.ready) print(answer.message);
  else console.error(`petstore: not ready: ${answer.message}`);
  return answer.ready;
}

async function ask(address: string): Promise<Answer> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(PATIENCE) });
    const { readOnly = false, message } = (await response.json()) as Partial<Answer>;
    const ready = response.status === 200;
    return { ready, readOnly, message: message ?? (readOnly ? "ready, read-only" : "ready") };
  } catch {
    return {
      ready: false,
      readOnly: false,
      message: `no instance answers at ${address}; start one, or correct PETSTORE_ADMIN_HOST and PETSTORE_ADMIN_PORT.`,
    };
  }
}
