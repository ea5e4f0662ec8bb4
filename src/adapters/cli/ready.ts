import { printJson } from "./output.js";

/** How long the instance may take to answer, in milliseconds: longer than a storage may take to answer it. */
const PATIENCE = 6000;

/** Asks the admin port at `address`, prints what it says, and returns whether the instance is ready. */
export async function showReadiness(address: string, { json }: { json?: true }): Promise<boolean> {
  const { ready, message } = await ask(address);
  if (json) printJson({ ready, message });
  else if (ready) console.log(message);
  else console.error(`petstore: not ready: ${message}`);
  return ready;
}

async function ask(address: string): Promise<{ ready: boolean; message: string }> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(PATIENCE) });
    const { message = "ready" } = (await response.json()) as { message?: string };
    return { ready: response.status === 200, message };
  } catch {
    return {
      ready: false,
      message: `no instance answers at ${address}; start one, or correct PETSTORE_ADMIN_HOST and PETSTORE_ADMIN_PORT.`,
    };
  }
}
